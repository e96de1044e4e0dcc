"""Markers for Triton kernels.

``import gwatch.cuda.trace.triton as gw_trace``, then ``gw_trace.scope_start(100)`` in the kernel,
or ``with gw_trace.scope(100):``. ``gw_trace.mark("tile", tile)`` records a value with an instant;
a start may have one, too. A marker compiles to nothing in an untraced kernel;
``GWATCH_MARKERS=0``, set before the import, leaves even its comment out of the PTX.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Generic, ParamSpec, TypeAlias, TypeVar, get_args

import triton
from triton.language import core
from triton.runtime.jit import ConstexprFunction, DependenciesFinder

from gwatch.cuda import _markers
from gwatch.errors import UsageError
from gwatch.sources._triton_version import warn_if_untested

__all__ = ["mark", "scope", "scope_end", "scope_start", "scope_switch"]

Scope: TypeAlias = int | str
_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")

_VALUE = "value"

warn_if_untested(triton.__version__)


@dataclass(frozen=True)
class InlineAsm:
    """All that a marker hands to the compiler."""

    text: str
    constraints: str = _markers.constraints()
    is_pure: bool = False  # a pure statement with an unused result would be deleted
    pack: int = 1


def inline_asm(
    verb: _markers.Verb, *scopes: object, kind: _markers.PayloadKind | None = None
) -> InlineAsm:
    """Returns what a marker emits: its comment, and the carrier that gives the asm its result."""
    text = f"{_markers.comment(verb, *scopes)}\n{_markers.carrier(kind)}"
    return InlineAsm(text, _markers.constraints(kind))


_RESULTS: dict[_markers.PayloadKind, core.dtype] = {
    "s32": core.int32,
    "u32": core.int32,
    "f32": core.float32,
    "s64": core.int64,
    "u64": core.int64,
    "f64": core.float64,
    "b64": core.int64,
}
"""What the assembly gives back for a value of each kind."""


class MarkerFunction(ConstexprFunction, Generic[_Parameters, _Result]):  # type: ignore[misc]
    """A function of the Triton language that emits a marker at the caller's own line.

    Triton leaves the bodies of its builtins out of a kernel's cache key, so a kernel with an edited
    builtin is served stale from the disk cache. The key of a constexpr function does count, and
    this one's is made of what the marker emits.
    """

    def __init__(
        self, verbs: tuple[_markers.Verb, ...], function: Callable[_Parameters, _Result]
    ) -> None:
        super().__init__(function)
        self.verbs = verbs

    @property
    def cache_key(self) -> str:
        """A hash of what this marker emits for samples, and of the constants of this call."""
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
        return f"def {name}(*arguments): ...  # {emitted}\nfrom {__name__} import {name}\n"

    def _emitted(self) -> tuple[bool, list[InlineAsm]]:
        every_byte = "".join(map(chr, range(1, 256)))
        names = self.signature.parameters
        kinds: list[Any] = [None, *(get_args(_markers.PayloadKind) if _VALUE in names else ())]
        count = len(names) - (_VALUE in names)
        samples = [
            inline_asm(verb, *[scope] * count, kind=kind)
            for verb in self.verbs
            for scope in (7, every_byte)
            for kind in kinds
        ]
        return _markers.ENABLED, samples

    def __call__(self, *args: object, _semantic: object = None, **kwargs: object) -> Any:
        """Checks the arguments, and emits the marker when the code generator calls."""
        arguments = self.signature.bind(*args, **kwargs).arguments
        value = core._unwrap_if_constexpr(arguments.pop(_VALUE, None))
        scopes = [self._constant(name, scope) for name, scope in arguments.items()]
        kind = _kind(self.__name__, value)
        if _semantic is None and not triton.knobs.runtime.interpret:
            raise UsageError(f"{self.__name__} was called outside of a @triton.jit function")
        return self._emit(scopes, value, kind, _semantic)

    def _emit(
        self,
        scopes: list[object],
        value: object,
        kind: _markers.PayloadKind | None,
        semantic: object,
    ) -> object:
        _emit(inline_asm(self.verbs[0], *scopes, kind=kind), value, kind, semantic)
        return None

    def _constant(self, name: str, value: object) -> object:
        value = core._unwrap_if_constexpr(value)
        if isinstance(value, core.base_value):
            raise UsageError(
                f"{self.__name__}: `{name}` is a run-time value of type {value.type}, "
                "but a marker needs a constant",
                hint="Give a literal, a tl.constexpr global or a tl.constexpr parameter.",
            )
        return value


class ScopeFunction(MarkerFunction[_Parameters, _Result]):
    """Makes the context manager of a scope; it emits when it is entered and left."""

    def _emit(
        self,
        scopes: list[object],
        value: object,
        kind: _markers.PayloadKind | None,
        semantic: object,
    ) -> object:
        if semantic is not None:
            _check_with()
        start, end = self.verbs
        return _Block(
            lambda: _emit(inline_asm(start, *scopes, kind=kind), value, kind, semantic),
            lambda: _emit(inline_asm(end, *scopes), None, None, semantic),
        )


@dataclass
class _Block:
    """The context manager that Triton's code generator enters and leaves."""

    start: Callable[[], None]
    end: Callable[[], None]

    def __enter__(self) -> None:
        self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.end()


def _check_with() -> None:
    """Refuses a scope() that no `with` statement enters: it would emit nothing."""
    frame = inspect.currentframe()
    while frame is not None and frame.f_code.co_name not in ("visit_With", "visit_Call"):
        frame = frame.f_back
    if frame is not None and frame.f_code.co_name == "visit_Call":
        raise UsageError(
            "scope() was called without `with`",
            hint="Write `with scope(...):`, or scope_start(...) and scope_end(...).",
        )


def _emit(asm: InlineAsm, value: object, kind: _markers.PayloadKind | None, semantic: Any) -> None:
    """Puts a marker at the place that the code generator has reached; nothing if interpreted."""
    if semantic is None or not _markers.ENABLED:
        return
    operands = [] if kind is None else [_operand(value, kind, semantic)]
    result = core.int32 if kind is None else _RESULTS[kind]
    core.inline_asm_elementwise(
        asm.text, asm.constraints, operands, result, asm.is_pure, asm.pack, _semantic=semantic
    )


def _kind(marker: str, value: object) -> _markers.PayloadKind | None:
    """How a value is recorded; None without one.

    Raises:
        UsageError: the value is none that a marker can record.
    """
    if value is None:
        return None
    if isinstance(value, bool | int | float):
        return _markers.number_kind(value)
    if not isinstance(value, core.tensor):
        raise UsageError(
            f"{marker}: a value of type {type(value).__name__} cannot be recorded",
            hint="Give a number or a scalar of the kernel.",
        )
    if value.type.is_block():
        raise UsageError(
            f"{marker}: `value` is a block of type {value.type}",
            hint=_markers.ONE_VALUE_A_WARP,
        )
    return _kind_of_scalar(value.dtype)


def _kind_of_scalar(dtype: core.dtype) -> _markers.PayloadKind:
    if dtype.is_ptr():
        return "b64"
    if dtype.is_floating():
        return "f64" if dtype.primitive_bitwidth == 64 else "f32"
    is_signed = dtype.is_int_signed() and dtype.primitive_bitwidth > 1
    if dtype.primitive_bitwidth == 64:
        return "s64" if is_signed else "u64"
    return "s32" if is_signed else "u32"


_OPERANDS: dict[_markers.PayloadKind, core.dtype] = {
    "s32": core.int32,
    "u32": core.uint32,
    "f32": core.float32,
    "s64": core.int64,
    "u64": core.uint64,
    "f64": core.float64,
    "b64": core.uint64,
}
"""What a value of each kind is cast to: narrow ones are widened."""


def _operand(value: object, kind: _markers.PayloadKind, semantic: Any) -> object:
    if isinstance(value, core.tensor):
        return semantic.cast(value, _OPERANDS[kind])
    return semantic.scalar_constant(value, _OPERANDS[kind])


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
    return [constant for constant in constants if isinstance(constant, int | float | str)]


def _marker(
    verb: _markers.Verb,
) -> Callable[[Callable[_Parameters, None]], MarkerFunction[_Parameters, None]]:
    return lambda function: MarkerFunction((verb,), function)


def _block(function: Callable[_Parameters, _Result]) -> ScopeFunction[_Parameters, _Result]:
    return ScopeFunction(("start", "end"), function)


@_marker("start")
def scope_start(scope: Scope, value: object = None) -> None:
    """Starts a scope: an id from 0 to 65535, or a name; a value is recorded with it."""


@_marker("end")
def scope_end(scope: Scope) -> None:
    """Ends a scope that this warp started."""


@_marker("switch")
def scope_switch(ending: Scope, starting: Scope) -> None:
    """Ends one scope and starts another at the same instant."""


@_marker("mark")
def mark(scope: Scope, value: object = None) -> None:
    """Marks an instant; a value is recorded with it: a number or a scalar of the kernel."""


@_block
def scope(scope: Scope, value: object = None) -> AbstractContextManager[None]:  # type: ignore[empty-body]
    """Makes a scope of the body of a `with` statement; a value is recorded with its start."""
