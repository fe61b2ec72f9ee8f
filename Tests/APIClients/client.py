"""Starts a run with the client that openapi-python-client makes, and prints what it reads."""

import json
import sys

from weir_client import Client
from weir_client.api.operations import list_operations, start_run
from weir_client.api.runs import get_run, list_runs, read_output
from weir_client.models import Problem, StartRunJsonBody

client = Client(base_url=sys.argv[1], httpx_args={"trust_env": False})
assert "greeting" in {operation.id for operation in list_operations.sync(client=client).operations}
run = start_run.sync("greeting", client=client, body=StartRunJsonBody.from_dict({"label": "World"}))
while run.ended_at is None:
    run = get_run.sync(run.id, client=client)
lines = read_output.sync(run.id, client=client, limit=5).lines
page = list_runs.sync(client=client, operation="greeting", limit=1)
problem = get_run.sync("nothere", client=client)
assert isinstance(problem, Problem)
print(json.dumps([run.phase, run.input_, [line.to_dict() for line in lines], page.runs[0].id == run.id, problem.type_]))
