"""The finder that hooks import our modules with."""

from __future__ import annotations

import importlib.util
import os
import py_compile
from pathlib import Path

import pytest

from aforesaid.bootstrap.quick_imports import QuickFinder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    package = tmp_path / "aforesaid" / "shop"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("NAME = 'shop'\n")
    (package / "till.py").write_text("PRICE = 1\n")
    for source in package.glob("*.py"):
        py_compile.compile(str(source), doraise=True)
    return tmp_path


def test_a_compiled_module_is_found_with_its_paths(root):
    spec = QuickFinder(str(root)).find_spec("aforesaid.shop.till")
    assert spec is not None
    assert str(root / "aforesaid/shop/till.py") == spec.origin
    assert importlib.util.cache_from_source(spec.origin) == spec.cached
    assert "aforesaid.shop" == spec.parent
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert (1, spec.origin) == (module.PRICE, module.__file__)


def test_a_package_is_found_with_its_folder(root):
    spec = QuickFinder(str(root)).find_spec("aforesaid.shop")
    assert spec is not None
    assert [str(root / "aforesaid/shop")] == spec.submodule_search_locations
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert "shop" == module.NAME


def test_a_module_that_changed_since_is_left_to_the_standard_finder(root):
    source = root / "aforesaid" / "shop" / "till.py"
    before = source.stat()
    source.write_text("PRICE = 20\n")  # longer
    os.utime(source, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert QuickFinder(str(root)).find_spec("aforesaid.shop.till") is None
    source.write_text("PRICE = 2\n")  # as long, and later
    os.utime(source, (before.st_atime, before.st_mtime + 2))
    assert QuickFinder(str(root)).find_spec("aforesaid.shop.till") is None


def test_a_module_compiled_by_another_python_is_left_to_the_standard_finder(root):
    source = root / "aforesaid" / "shop" / "till.py"
    compiled = Path(importlib.util.cache_from_source(str(source)))
    compiled.write_bytes(b"\0\0\0\0" + compiled.read_bytes()[4:])
    assert QuickFinder(str(root)).find_spec("aforesaid.shop.till") is None


@pytest.mark.parametrize("size", [16, 20])
def test_a_damaged_compiled_file_is_removed_and_left_to_the_standard_finder(root, size):
    source = root / "aforesaid" / "shop" / "till.py"
    compiled = Path(importlib.util.cache_from_source(str(source)))
    compiled.write_bytes(compiled.read_bytes()[:size])
    assert QuickFinder(str(root)).find_spec("aforesaid.shop.till") is None
    assert not compiled.exists()


@pytest.mark.parametrize("name", ["aforesaid.shop.cellar", "json", "aforesaidly.shop"])
def test_other_modules_are_left_to_the_standard_finder(root, name):
    assert QuickFinder(str(root)).find_spec(name) is None


def test_a_module_without_a_compiled_file_is_left_to_the_standard_finder(root):
    source = root / "aforesaid" / "shop" / "till.py"
    Path(importlib.util.cache_from_source(str(source))).unlink()
    assert QuickFinder(str(root)).find_spec("aforesaid.shop.till") is None
