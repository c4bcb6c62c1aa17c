"""What time brings about, from the command line and in the running server."""

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.support.command_line import run
from tests.support.outbox import letters
from tests.support.server import PROGRAM, started
from tests.support.sink import listening_sink
from tests.support.sweeping import BEGIN, World, new_world
from tests.support.waiting import PATIENCE, wait_until


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Return a home with boards that began 10 days before this moment."""
    world = new_world(tmp_path, ("alice", "bob", "carol"))
    ago = (datetime.now(UTC) - timedelta(days=10) - BEGIN) / timedelta(days=1)
    world.add_board("alice", "bob", ago)
    world.add_board("alice", "bob", ago + 8)
    return world


def test_letters_of_a_sweep_lead_to_the_pages(world: World) -> None:
    world.home.configuration.write_text('web_address = "https://games.example.org"\n')
    assert run(world.path, "sweep").exit_code == 0
    (reminder,) = letters(world.home)
    assert "https://games.example.org/play/" in reminder.text


def test_sweep_hands_its_letters_to_the_relay(world: World) -> None:
    with listening_sink() as (relay, endpoint):
        world.home.configuration.write_text(f'relay = "smtp://{endpoint}"\n')
        assert run(world.path, "sweep").exit_code == 0
        (envelope,) = relay.wait_for(1)
    assert envelope.rcpt_tos == ["alice@example.org"]
    assert world.letters() == []


@pytest.mark.slow
def test_the_running_server_sweeps_again_and_again(world: World) -> None:
    script = f"""
import asyncio
from pathlib import Path
from pbm_oust.store.configuration import Configuration
from pbm_oust.store.configuration import Endpoint
from pbm_oust.store.home import Home
from pbm_oust.mail.server import Server

def ready(configuration, listening):
    print("at", listening[0], flush=True)

configuration = Configuration(smtp=Endpoint("127.0.0.1", 0))
home = Home(Path({str(world.path)!r}))
asyncio.run(Server(home, lambda: configuration, home.now, ready, sweep_seconds=0.1).run())
"""
    with started([sys.executable, "-c", script], world.path) as server:
        wait_until(world.letters, "a reminder")
        world.add_board("carol", "bob", -30 + (datetime.now(UTC) - BEGIN) / timedelta(days=1))
        wait_until(lambda: len(world.letters()) > 1, "another reminder")
        assert server.stop() == 0
    assert world.letters() == [
        ("alice", "oust 1 #2: reminder, your turn, alice"),
        ("carol", "oust 3 #2: reminder, your turn, carol"),
    ]


@pytest.mark.slow
def test_sweeps_in_several_processes_remind_once(world: World) -> None:
    command = [PROGRAM, "--home", str(world.path), "sweep"]
    sweeps = [subprocess.Popen(command) for _ in range(3)]
    assert [each.wait(PATIENCE) for each in sweeps] == [0, 0, 0]
    assert world.letters() == [("alice", "oust 1 #2: reminder, your turn, alice")]


def test_listings_as_json_say_until_when(world: World) -> None:
    started_at = world.game(2).header.started
    shown = json.loads(run(world.path, "games", "show", "oust", "2", "--json").output)
    assert shown["deadline"] == f"{started_at + timedelta(days=28):%Y-%m-%dT%H:%M:%SZ}"
    world.play(2, world.today, "x resign")
    listed = json.loads(run(world.path, "games", "list", "--json").output)
    assert [each["deadline"] is None for each in listed] == [False, True]
