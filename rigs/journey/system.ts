/**
 * Runs a bare system in namespaces of its own: with a shell as its first process, or booted by systemd. Its network is
 * that of this machine.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Stage } from '../support/rig.ts';

/** A user of a system. */
export interface User {
  name: string;
  uid: number;
  gid: number;
  home: string;
}

export const root: User = { name: 'root', uid: 0, gid: 0, home: '/root' };

export interface Ended {
  status: number | null;
  /** Standard output and standard error. */
  output: string;
  milliseconds: number;
}

export interface System {
  /** Its folder on this machine. */
  readonly folder: string;
  /** Its root directory as its own processes see it, with what is mounted in it. */
  root(): string;
  /** Runs a command line with `sh`, in the user's home. */
  run(line: string, user?: User): Promise<Ended>;
  /** Reboots a system with systemd; resolves once it has booted again. */
  reboot(): Promise<void>;
}

const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const bootTimeout = 90_000;
const stopTimeout = 30_000;
/** Exit status of systemd-nspawn when the system reboots: see `--keep-unit` in systemd-nspawn(1). */
const rebooted = 133;

/** The first process reaps what is orphaned, as that of any system does: dash waits for every child. */
const withShell = `
mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && mount -t tmpfs -o mode=1777 tmpfs "$0/tmp" &&
exec chroot "$0" /bin/sh -c 'while :; do sleep 1000; done'`;
// Its own /run: systemd-nspawn keeps locks of systems there.
const withSystemd = `
mount -t tmpfs tmpfs /run || exit 1
while SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1 systemd-nspawn --quiet --register=no --keep-unit --console=pipe -D "$0" -b;
  [ $? = ${rebooted} ]; do :; done`;

/** Starts the system in a folder. It is stopped when the rig ends. */
export async function startSystem(stage: Stage, folder: string, kind: 'shell' | 'systemd'): Promise<System> {
  const isBooted = kind === 'systemd';
  const log = openSync(`${folder}.log`, 'a');
  const namespaces = isBooted ? ['--mount'] : ['--mount', '--pid', '--fork', '--kill-child'];
  const words = [...namespaces, '--propagation', 'private', 'sh', '-c', isBooted ? withSystemd : withShell, folder];
  const holder = spawn('unshare', words, { stdio: ['ignore', log, log], detached: true });
  stage.atEnd(folder, () => stop(holder, isBooted));

  const untilUp = async (former?: number): Promise<number> => {
    const until = Date.now() + bootTimeout;
    for (;;) {
      stage.signal.throwIfAborted();
      if (holder.exitCode !== null) throw new Error(`the system has ended: see ${folder}.log (--keep)`);
      const pid = firstProcess(holder.pid as number, folder, isBooted);
      if (pid !== null && pid !== former && (!isBooted || (await isRunning(pid)))) return pid;
      if (Date.now() > until) throw new Error(`the system does not start: see ${folder}.log (--keep)`);
      await sleep(100);
    }
  };
  const isRunning = async (pid: number) => {
    // `degraded` is a system with a failed unit, which is for the caller to find.
    const { output } = await enter(pid, isBooted, 'systemctl is-system-running', root);
    return /^(running|degraded)/.test(output);
  };
  let first = await untilUp();
  return {
    folder,
    root: () => `/proc/${first}/root`,
    run: (line, user = root) => enter(first, isBooted, line, user),
    async reboot() {
      await enter(first, isBooted, 'systemctl reboot', root);
      first = await untilUp(first);
    },
  };
}

/** Returns the process id, on this machine, of the first process of the system. */
function firstProcess(holder: number, folder: string, isBooted: boolean): number | null {
  const childrenOf = (pid: number) => {
    const file = `/proc/${pid}/task/${pid}/children`;
    return existsSync(file) ? readFileSync(file, 'utf8').split(' ').filter(Boolean).map(Number) : [];
  };
  try {
    // unshare has become the shell that runs systemd-nspawn, or has a child that becomes the system's shell.
    if (isBooted) {
      const [first] = childrenOf(holder).flatMap(childrenOf);
      return first !== undefined && readFileSync(`/proc/${first}/comm`, 'utf8').trim() === 'systemd' ? first : null;
    }
    const [first] = childrenOf(holder);
    return first !== undefined && readlinkSync(`/proc/${first}/root`) === folder ? first : null;
  } catch {
    return null; // it has just ended
  }
}

async function enter(first: number, isBooted: boolean, line: string, { name, uid, gid, home }: User): Promise<Ended> {
  const namespaces = isBooted ? ['--mount', '--pid', '--uts', '--ipc', '--cgroup'] : ['--mount', '--pid'];
  const environment = [`PATH=${path}`, `HOME=${home}`, `USER=${name}`, `LOGNAME=${name}`];
  const started = performance.now();
  const child = spawn(
    'nsenter',
    [
      ...[`--target=${first}`, ...namespaces, '--root', '--wd', `--setuid=${uid}`, `--setgid=${gid}`, '--'],
      ...['/usr/bin/env', '--ignore-environment', ...environment, '/bin/sh', '-c', `cd && ${line}`],
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let output = '';
  const streams = [child.stdout, child.stderr];
  for (const stream of streams) stream.on('data', (chunk) => (output += chunk));
  const read = Promise.all(streams.map((stream) => once(stream, 'end')));
  // Not `close`: what the command leaves in the background may hold its output open.
  const [status] = await once(child, 'exit');
  await Promise.race([read, sleep(1000)]);
  return { status, output, milliseconds: performance.now() - started };
}

async function stop(holder: ChildProcess, isBooted: boolean): Promise<void> {
  if (holder.exitCode !== null || holder.signalCode !== null) return;
  const ended = once(holder, 'exit');
  if (isBooted) {
    const nspawn = readFileSync(join('/proc', String(holder.pid), 'task', String(holder.pid), 'children'), 'utf8');
    for (const pid of nspawn.split(' ').filter(Boolean)) process.kill(Number(pid), 'SIGTERM');
    await Promise.race([ended, sleep(stopTimeout, undefined, { ref: false })]);
  }
  if (holder.exitCode === null) process.kill(-(holder.pid as number), 'SIGKILL');
  await ended;
}
