"""The settings: one file, environment variables, flags, in rising order; validated as a whole, once.

Behind this door nobody reads the environment or raw YAML.
"""

from babysitter.config.load import default_config_folder, load_settings
from babysitter.config.render import render_commented_defaults
from babysitter.config.settings import ClusterSettings, Settings, secret

__all__ = [
    "ClusterSettings",
    "Settings",
    "default_config_folder",
    "load_settings",
    "render_commented_defaults",
    "secret",
]
