/**
 * The parent of `start --foreground` of release 0.1.0, as its sources have it, as far as an upgrade meets it: it has no
 * control socket, and starts the first launch of the queue, whatever that is, when its box has exited.
 *
 *   node first-parent.ts <folder of the box> <release> <port>
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';

interface Launch {
  release: string;
  host: string;
  port: number;
  secrets: Record<string, string>;
}

const [dir = '', release = '', port = ''] = process.argv.slice(2);
const next = join(dir, 'run/next.json');

function identify(pid: number | undefined): string {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const startTime = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}:${startTime}`;
}

async function launch({ release, host, port, secrets }: Launch): Promise<ChildProcess> {
  const folder = join(dir, 'releases', release);
  const { LICENSE_KEY: _key, ...others } = secrets;
  const child = spawn(process.execPath, [join(folder, 'node_modules/@carton/runtime/dist/main.js')], {
    cwd: dir,
    env: {
      PATH: process.env.PATH,
      ...others,
      HOST: host,
      PORT: String(port),
      BOX_HOME: dir,
      BOX_PACKAGES: join(folder, 'carton.lock.json'),
      NODE_OPTIONS: '--max-semi-space-size=4 --max-old-space-size=1024',
    },
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  await once(child, 'spawn');
  const parent = { pid: process.pid, identity: identify(process.pid) };
  const record = JSON.stringify({ identity: identify(child.pid), release, parent });
  writeFileSync(join(dir, 'run/box.pid.new'), `${child.pid}\n${record}\n`);
  renameSync(join(dir, 'run/box.pid.new'), join(dir, 'run/box.pid'));
  return child;
}

/** Takes the first launch; `nothing` if the queue is empty, undefined if there is none. */
function takeNext(): Launch | 'nothing' | undefined {
  let text: string;
  try {
    text = readFileSync(next, 'utf8');
  } catch {
    return undefined;
  }
  const [first = 'nothing', ...rest] = JSON.parse(text) as Launch[];
  if (rest.length > 0) writeFileSync(next, JSON.stringify(rest));
  else rmSync(next);
  return first;
}

const secrets = parseEnv(readFileSync(join(dir, 'box.env'), 'utf8')) as Record<string, string>;
for (
  let launched: Launch | 'nothing' | undefined = { release, host: '127.0.0.1', port: Number(port), secrets };
  launched !== undefined && launched !== 'nothing';
  launched = takeNext()
) {
  const child = await launch(launched);
  const [status] = await once(child, 'exit');
  rmSync(join(dir, 'run/box.pid'), { force: true });
  process.exitCode = status ?? 1;
}
