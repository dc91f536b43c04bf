"""The composition root: ``Settings`` become a wired ``Fabric``.  No logic of its own."""

from memory_fabric.app.fabric import Fabric as Fabric
