"""Markers for Triton kernels.

``import gwatch.cuda.trace.triton as gw_trace``, then ``gw_trace.scope_start(100)`` in the kernel.
A marker compiles to nothing in an untraced kernel; ``GWATCH_MARKERS=0``, set before the import,
leaves even its comment out of the PTX.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, ParamSpec, TypeAlias

import triton
from triton.language import core
from triton.runtime.jit import ConstexprFunction, DependenciesFinder

from gwatch.cuda import _markers
from gwatch.errors import UsageError
from gwatch.sources._triton_version import warn_if_untested

__all__ = ["mark", "scope_end", "scope_start", "scope_switch"]

Scope: TypeAlias = int | str
_Parameters = ParamSpec("_Parameters")

warn_if_untested(triton.__version__)


@dataclass(frozen=True)
class InlineAsm:
    """All that a marker hands to the compiler."""

    text: str
    constraints: str = "=r,~{memory}"  # loads and stores stay on their side of the marker
    is_pure: bool = False  # a pure statement with an unused result would be deleted
    pack: int = 1


def inline_asm(verb: _markers.Verb, *scopes: object) -> InlineAsm:
    """Returns what a marker emits: its comment, and the carrier that gives the asm its result."""
    return InlineAsm(f"{_markers.comment(verb, *scopes)}\nmov.u32 $0, 0;")


class MarkerFunction(ConstexprFunction, Generic[_Parameters]):  # type: ignore[misc]
    """A function of the Triton language that emits a marker at the caller's own line.

    Triton leaves the bodies of its builtins out of a kernel's cache key, so a kernel with an edited
    builtin is served stale from the disk cache. The key of a constexpr function does count, and
    this one's is made of what the marker emits.
    """

    def __init__(self, verb: _markers.Verb, function: Callable[_Parameters, None]) -> None:
        super().__init__(function)
        self.verb = verb

    @property
    def cache_key(self) -> str:
        """A hash of what this marker emits for sample scopes, and of the constants of this call."""
        key = (self._emitted(), _attributes_among_arguments())
        return hashlib.sha256(repr(key).encode()).hexdigest()

    @property
    def src(self) -> str:
        """What stands for this marker in the copy of a kernel that Inductor makes.

        Inductor writes the text of a constexpr function under a decorator of Triton's. This text
        gives the name back to the marker behind that, and changes with what the marker emits.
        """
        emitted = hashlib.sha256(repr(self._emitted()).encode()).hexdigest()
        name = self.__name__
        return f"def {name}(*scopes): ...  # {emitted}\nfrom {__name__} import {name}\n"

    def _emitted(self) -> tuple[bool, list[InlineAsm]]:
        every_byte = "".join(map(chr, range(1, 256)))
        count = len(self.signature.parameters)
        samples = [inline_asm(self.verb, *[scope] * count) for scope in (7, every_byte)]
        return _markers.ENABLED, samples

    def __call__(self, *args: object, _semantic: object = None, **kwargs: object) -> None:
        """Checks the arguments, and emits the marker when the code generator calls."""
        scopes = self.signature.bind(*args, **kwargs).arguments
        constants = [self._constant(name, value) for name, value in scopes.items()]
        asm = inline_asm(self.verb, *constants)
        if _semantic is None:
            self._check_interpreter()
        elif _markers.ENABLED:
            core.inline_asm_elementwise(
                asm.text,
                asm.constraints,
                [],
                core.int32,
                asm.is_pure,
                asm.pack,
                _semantic=_semantic,
            )

    def _constant(self, name: str, value: object) -> object:
        value = core._unwrap_if_constexpr(value)
        if isinstance(value, core.base_value):
            raise UsageError(
                f"{self.__name__}: `{name}` is a run-time value of type {value.type}, "
                "but a marker needs a constant",
                hint="Give a literal, a tl.constexpr global or a tl.constexpr parameter.",
            )
        return value

    def _check_interpreter(self) -> None:
        if not triton.knobs.runtime.interpret:
            raise UsageError(f"{self.__name__} was called outside of a @triton.jit function")


def _attributes_among_arguments() -> list[object]:
    """Values of attributes (``ids.LOAD``) among the arguments of the call whose key is asked.

    Triton keeps global constants in its keys, but not what a kernel reads through a module or a
    class. The call is known only to Triton's search for dependencies, which asks for the key.
    """
    frame, inner = inspect.currentframe(), None
    while frame is not None:
        finder, node = frame.f_locals.get("self"), frame.f_locals.get("node")
        if isinstance(finder, DependenciesFinder) and isinstance(node, ast.AST):
            if isinstance(node, ast.Call) and node.func is inner:
                return _constant_attributes(finder, node)
            inner = node
        frame = frame.f_back
    return []


def _constant_attributes(finder: DependenciesFinder, call: ast.Call) -> list[object]:
    arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
    parts = [part for argument in arguments for part in ast.walk(argument)]
    values = [finder.visit(part) for part in parts if isinstance(part, ast.Attribute)]
    constants = [core._unwrap_if_constexpr(value) for value in values]
    return [constant for constant in constants if isinstance(constant, int | str)]


def _marker(
    verb: _markers.Verb,
) -> Callable[[Callable[_Parameters, None]], MarkerFunction[_Parameters]]:
    return lambda function: MarkerFunction(verb, function)


@_marker("start")
def scope_start(scope: Scope) -> None:
    """Starts a scope: an id from 0 to 65535, or a name."""


@_marker("end")
def scope_end(scope: Scope) -> None:
    """Ends a scope that this warp started."""


@_marker("switch")
def scope_switch(ending: Scope, starting: Scope) -> None:
    """Ends one scope and starts another at the same instant."""


@_marker("mark")
def mark(scope: Scope) -> None:
    """Marks an instant."""
