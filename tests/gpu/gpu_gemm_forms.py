"""Other forms of the CuTe DSL example's kernel for Hopper, with other constants."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

EXAMPLE = Path(__file__).parents[2] / "examples" / "cuda" / "trace" / "cute_hopper_gemm.py"
FORMS = {
    "dependent": {"IS_DEPENDENT": True},
    "pairs": {"CLUSTER": 2},
    "dependent-pairs": {"IS_DEPENDENT": True, "CLUSTER": 2},
    "cooperative": {},
}


def load_form(form: str, folder: Path) -> ModuleType:
    """A copy of the module: the DSL reads a module's constants once, at the first compilation."""
    text = EXAMPLE.read_text("utf-8")
    for name, value in FORMS[form].items():
        text, found = re.subn(rf"(?m)^{name} = \w+", f"{name} = {value}", text)
        assert found == 1
    if form == "cooperative":
        text, found = re.subn("use_pdl=IS_DEPENDENT", "cooperative=True", text)
        assert found == 1
    path = folder / f"{form.replace('-', '_')}_gemm.py"
    path.write_text(text)
    module = ModuleType(path.stem)
    module.__file__ = str(path)
    exec(compile(text, path, "exec"), module.__dict__)
    return module
