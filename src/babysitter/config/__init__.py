"""The settings: one file, environment variables, flags, in rising order; validated as a whole, once.

Behind this door nobody reads the environment or raw YAML. What needs pydantic is imported when it is asked
for: a command that only prints the state does without (checked.py).
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from babysitter.config.commented_defaults import render_commented_defaults
    from babysitter.config.places import default_config_folder
    from babysitter.config.read_settings import load_settings
    from babysitter.config.settings import ClusterSettings, Settings, secret

_MODULES = {
    "ClusterSettings": "settings",
    "Settings": "settings",
    "default_config_folder": "places",
    "load_settings": "read_settings",
    "render_commented_defaults": "commented_defaults",
    "secret": "settings",
}

__all__ = [
    "ClusterSettings",
    "Settings",
    "default_config_folder",
    "load_settings",
    "render_commented_defaults",
    "secret",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(name)
    return getattr(import_module(f"babysitter.config.{_MODULES[name]}"), name)
