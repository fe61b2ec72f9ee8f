import { Configuration, OperationsApi, ResponseError, RunsApi } from "./generated";

declare const process: { argv: string[]; exit(code: number): void };

async function main(): Promise<void> {
  const configuration = new Configuration({ basePath: process.argv[2] });
  const [operations, runs] = [new OperationsApi(configuration), new RunsApi(configuration)];
  const listed = await operations.listOperations();
  if (!listed.operations.some((operation) => operation.id === "greeting")) throw new Error("no greeting");
  const started = (await operations.startRun({ operation: "greeting", body: { label: "World" } })) as { id: string };
  let run = await runs.getRun({ run: started.id });
  while (run.endedAt === null) run = await runs.getRun({ run: started.id });
  const output = await runs.readOutput({ run: run.id, limit: 5 });
  const page = await runs.listRuns({ operation: "greeting", limit: 1 });
  try {
    await runs.getRun({ run: "nothere" });
  } catch (error) {
    const problem = await (error as ResponseError).response.json();
    console.log(JSON.stringify([run.phase, run.input, output.lines, page.runs[0].id === run.id, problem.type]));
  }
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
