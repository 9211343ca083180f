"""Prints what examples/gatepass.py names, as JSON: types with their fields, operations, and problem codes.

Raises an error for a form that it does not understand, so that no name escapes the comparison.
"""

import ast
import json
import sys
import typing
from pathlib import Path

FILE = Path(sys.argv[1])
sys.path.insert(0, str(FILE.parent))
sys.dont_write_bytecode = True

import gatepass  # noqa: E402

TREE = ast.parse(FILE.read_text(), feature_version=(3, 9))


def typed_dicts():
    """Returns the annotation of each field as source text, by the name of its type."""
    members = vars(gatepass).items()
    return {
        name: {field: text_of(kind) for field, kind in member.__annotations__.items()}
        for name, member in members
        if isinstance(member, type) and issubclass(member, dict)
    }


def text_of(kind):
    return getattr(kind, "__forward_arg__", None) or kind.__name__


def words():
    return {
        name: list(typing.get_args(member))
        for name, member in vars(gatepass).items()
        if typing.get_origin(member) is typing.Literal
    }


def constant(node):
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        raise SystemExit(f"line {node.lineno}: not a text that a test can compare")
    return node.value


def keys_of(node):
    return [constant(key) for key in node.keys]


def operations(function):
    """Returns each call of the service in a function, with the names of its path and query parameters and the type of its body."""
    dicts, types = {}, {}
    for node in ast.walk(function):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            types[node.target.id] = ast.unparse(node.annotation)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict) and isinstance(node.targets[0], ast.Name):
            dicts[node.targets[0].id] = keys_of(node.value)
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "_call":
            method, path, *names = node.args
            given = {keyword.arg: keyword.value for keyword in node.keywords}
            yield {
                "method": constant(method),
                "path": constant(path),
                "pathParameters": dicts[names[0].id] if names else [],
                "query": dicts[given["query"].id] if "query" in given else [],
                "body": types[given["body"].id] if "body" in given else None,
                "repeatable": "repeatable" not in given,
                "result": types_of_results(function, node, types),
            }


def types_of_results(function, call, types):
    """The type that the code gives to the answer: of a variable, or of the function that returns it."""
    for node in ast.walk(function):
        if isinstance(node, ast.AnnAssign) and node.value is call:
            return ast.unparse(node.annotation)
        if isinstance(node, ast.Return) and node.value is call:
            return ast.unparse(function.returns).replace(" | None", "")
    raise SystemExit(f"line {call.lineno}: the answer has no type")


def read_fields():
    """Returns all names that the code reads from objects or writes to them: `body["state"]` and `problem.get("code")`."""
    for node in ast.walk(TREE):
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
            # The types of lists and choices are not texts, and `env` has variables.
            if ast.unparse(node.value) not in ("Literal",):
                yield node.slice.value
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get":
            if ast.unparse(node.func.value) not in ("env", "self") and isinstance(node.args[0], ast.Constant):
                yield node.args[0].value


def uses(function):
    """Returns each use of a field of a variable whose type the function declares, as `Type.field`."""
    types = {}
    for arg in [*function.args.args, *function.args.kwonlyargs]:
        types[arg.arg] = ast.unparse(arg.annotation) if arg.annotation else ""
    for node in ast.walk(function):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            types[node.target.id] = ast.unparse(node.annotation)
            if isinstance(node.value, ast.Dict):
                yield from (f"{types[node.target.id]}.{key}" for key in keys_of(node.value))
    for node in ast.walk(function):
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and isinstance(node.slice, ast.Constant):
            if types.get(node.value.id) in typed_dicts():
                yield f"{types[node.value.id]}.{constant(node.slice)}"


def codes():
    """Returns the words that the code compares with a problem's code."""
    for node in ast.walk(TREE):
        if isinstance(node, ast.Compare) and ast.unparse(node.left).endswith(".code"):
            yield from map(constant, node.comparators)


def imports():
    for node in ast.walk(TREE):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        if isinstance(node, ast.ImportFrom):
            yield node.module


functions = [node for node in ast.walk(TREE) if isinstance(node, ast.FunctionDef)]
described = {
    "types": typed_dicts(),
    "words": words(),
    "operations": [operation for function in functions for operation in operations(function)],
    "fields": sorted(set(read_fields())),
    "uses": sorted({use for function in functions for use in uses(function)}),
    "codes": sorted(set(codes())),
    "imports": sorted({name.split(".")[0] for name in imports()}),
    "undocumented": [
        node.name
        for node in ast.walk(TREE)
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_") and not ast.get_docstring(node)
    ],
    "untyped": [
        f"{node.name}({arg.arg})"
        for node in functions
        for arg in [*node.args.args, *node.args.kwonlyargs]
        if arg.arg != "self" and arg.annotation is None
    ]
    + [node.name for node in functions if node.returns is None],
    "standard": sorted(getattr(sys, "stdlib_module_names", [])),
    # A name in capitals is a constant. Each other name of the module is a class, a function, a module or a choice of words.
    "variables": [
        name
        for node in TREE.body
        if isinstance(node, (ast.Assign, ast.AnnAssign))
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        for name in [ast.unparse(target)]
        if not name.isupper() and name != "__version__" and not (isinstance(node.value, (ast.Subscript, ast.Call)) and name[0].isupper())
    ],
}
print(json.dumps(described))
