"""The program with its templates, as a process reads them once whose forks serve pages."""

import gc
from contextlib import suppress
from importlib import import_module
from pkgutil import walk_packages

from jinja2 import TemplateAssertionError

import pbm_oust
from pbm_oust.languages import ENGLISH
from pbm_oust.letters.templates import html_templates, text_templates
from pbm_oust.letters.translator import Translator

WHEN_SERVING = ["anyio._backends._asyncio", "uvicorn.protocols.http.h11_impl"]
"""What a server imports only when somebody asks it for something."""

for found in walk_packages(pbm_oust.__path__, "pbm_oust."):
    if found.name != "pbm_oust.__main__":
        import_module(found.name)
for name in WHEN_SERVING:
    import_module(name)

for templates, ending in ((html_templates, ".html"), (text_templates, ".txt")):
    environment = templates(Translator(ENGLISH))
    for name in environment.list_templates():
        if name.endswith(ending):
            with suppress(TemplateAssertionError):  # it has a filter that only letters have
                environment.get_template(name)

# A fork need not look for garbage among all this.
gc.collect()
gc.freeze()
