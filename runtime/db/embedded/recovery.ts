/**
 * Ends a server that waits forever. When a server restarts itself after a crash and its recovery fails immediately, for
 * example on a full disk, PostgreSQL 18 may not notice that the startup process has exited: it neither recovers nor exits,
 * and refuses connections for good. The box restarts a server that exits.
 */
import { readFileSync } from 'node:fs';
import { isPostgresIn, readPostmaster, type Server, signal } from './server.ts';

/**
 * Milliseconds without both processes, and for an immediate shutdown. PostgreSQL waits up to 5 s for the sessions of a
 * crashed server.
 */
const defaultLimits = { stuck: 30_000, shutdown: 10_000 };

/** One of them exists in every server that recovers or serves. */
const essential = /^postgres: [^:]*: (startup|walwriter)\b/;

/**
 * Watches the processes of a server, and ends it when it has had neither a startup process nor a WAL writer for some time
 * although it is not stopping. Returns the function that ends the watch.
 */
export function watchRecovery(
  { pid }: Pick<Server, 'pid'>,
  { data, log }: { data: string; log: (line: string) => void },
  limits = defaultLimits,
): () => void {
  let since: number | null = null;
  const timer = setInterval(() => {
    if (!isStuck(pid, data)) {
      since = null;
      return;
    }
    since ??= Date.now();
    const waited = Date.now() - since;
    if (waited < limits.stuck) return;
    log(`PostgreSQL neither recovers nor serves: ending process ${pid}`);
    signal(pid, waited < limits.stuck + limits.shutdown ? 'SIGQUIT' : 'SIGKILL');
  }, 1000);
  timer.unref();
  return () => clearInterval(timer);
}

function isStuck(pid: number, data: string): boolean {
  const postmaster = readPostmaster(data);
  if (postmaster?.pid !== pid || postmaster.status === 'stopping' || !isPostgresIn(pid, data)) return false;
  const children = childrenOf(pid);
  return children !== null && !children.some((child) => essential.test(titleOf(child)));
}

/** The processes that a process has started; null if it has exited, or the system does not list them. */
function childrenOf(pid: number): string[] | null {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  } catch {
    return null;
  }
}

function titleOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
