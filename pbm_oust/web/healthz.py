"""Whether mail can be taken at present, for those who share it out among several hosts."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from pbm_oust.store.upkeep import described
from pbm_oust.web import addresses
from pbm_oust.web.ground import ground_of


async def healthz(request: Request) -> Response:
    """Answer with 200 if mail can be taken, and with 503 and the reason if not."""
    trouble = await ground_of(request).health.trouble()
    status, headers = 503 if trouble else 200, {"Cache-Control": "no-store"}
    return JSONResponse(described(trouble), status, headers)


ROUTES = (Route(addresses.HEALTH, healthz),)
