/**
 * Simulators of services outside of the box, each a process of its own that tests and rigs start and control over HTTP:
 * it responds as the real service would, and on request it is slow, loses connections, fails or gives wrong answers.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { json, text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export interface SimulatedRequest {
  method: string;
  url: URL;
  body: string;
  authorization: string;
}

export interface SimulatedResponse {
  status: number;
  body: unknown;
}

/**
 * - `ok`: as the real service
 * - `slow`: after a minute, much later than any caller waits
 * - `drop`: the connection is lost after the request
 * - `cut`: the connection is lost in the middle of the response
 * - `fail`, `fail-once`: 500, always or for the next request only
 * - `refuse`: 400; `reject`: 401
 * - `hold`: the response waits until the mode changes
 * - `unreadable`: 200 with a body that is not JSON
 * - any other: a wrong answer of the simulator
 */
export type SimulatorMode = string;

/** Changes a correct answer into a wrong one, in place, by the name of the mode. */
export type WrongAnswers = Readonly<Record<string, (body: never) => void>>;

export interface SimulatorState {
  mode: SimulatorMode;
  /** Requests since the last change of the mode. */
  calls: number;
  /** Requests that are being held. */
  held: number;
}

/** Runs a simulator: for the `main.ts` of its process. The first line of its output is its address. */
export async function runSimulator(
  respond: (request: SimulatedRequest) => SimulatedResponse,
  wrongAnswers: WrongAnswers,
  port = 0,
): Promise<void> {
  const state: SimulatorState = { mode: 'ok', calls: 0, held: 0 };
  let release = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    const work = request.url === '/simulator' ? control(request, response) : serve(request, response);
    work.catch(() => response.destroy());
  });

  async function control(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'POST') {
      Object.assign(state, (await json(request)) as SimulatorState, { calls: 0 });
      release.resolve();
      release = Promise.withResolvers();
    }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(state));
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', headers } = request;
    const url = new URL(request.url ?? '/', 'http://simulator');
    const body = await text(request);
    const { mode } = state;
    state.calls++;
    if (mode === 'drop') return void request.socket.destroy();
    if (mode === 'slow') await pause(60_000, undefined, { ref: false });
    if (mode === 'hold') {
      state.held++;
      await release.promise;
      state.held--;
    }
    if (mode === 'fail-once') state.mode = 'ok';
    const failures: Record<string, number> = { fail: 500, 'fail-once': 500, refuse: 400, reject: 401 };
    const answer =
      mode in failures
        ? { status: failures[mode] as number, body: { error: mode } }
        : respond({ method, url, body, authorization: headers.authorization ?? '' });
    if (answer.status === 200) wrongAnswers[mode]?.(answer.body as never);
    const sent = mode === 'unreadable' ? '<html>' : JSON.stringify(answer.body);
    response.writeHead(answer.status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(sent),
    });
    if (mode !== 'cut') return void response.end(sent);
    response.write(sent.slice(0, sent.length / 2), () => request.socket.destroy());
  }

  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
  const stop = () => process.exit(0);
  process.once('SIGTERM', stop);
  // It does not outlive its parent.
  process.stdin.once('end', stop).resume();
}

export interface RunningSimulator {
  url: string;
  /** Changes the mode and starts counting again; held requests continue. */
  setMode(mode: SimulatorMode): Promise<void>;
  state(): Promise<SimulatorState>;
  stop(): Promise<void>;
}

/** Starts the process of a simulator. @param main the URL of its `main.ts` */
export async function startSimulatorProcess(main: URL): Promise<RunningSimulator> {
  const child = spawn(process.execPath, ['--conditions=workspace-source', fileURLToPath(main)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const call = async (init?: RequestInit) => {
    const response = await fetch(`${url}/simulator`, init);
    return (await response.json()) as SimulatorState;
  };
  return {
    url,
    state: () => call(),
    async setMode(mode) {
      await call({ method: 'POST', body: JSON.stringify({ mode }) });
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.stdin.end();
      await exited;
    },
  };
}
