/**
 * What the boxes of this process have logged last, and the last responses to the test clients, kept in memory for the
 * assertion that fails (failures.ts). TEST_LOG_LEVEL also writes the log to standard error.
 */
import { type Logger, pino } from 'pino';
import { openLog } from '../operations/log.ts';

export interface RecordedResponse {
  method: string;
  path: string;
  status: number;
  requestId: string | null;
  /** The body, if it is a problem. */
  problem: string | undefined;
}

/** The last items; earlier ones are overwritten. */
class Recent<T> {
  readonly #items: T[] = [];
  readonly #size: number;
  /** Of all items so far. */
  count = 0;

  constructor(size: number) {
    this.#size = size;
  }

  add(item: T): void {
    this.#items[this.count++ % this.#size] = item;
  }

  /** What is left of the items after the first `start`, oldest first. */
  after(start: number): T[] {
    const first = Math.max(start, this.count - this.#size);
    return Array.from({ length: this.count - first }, (_, at) => this.#items[(first + at) % this.#size] as T);
  }
}

const lines = new Recent<string>(1000);
/** Errors, each with the number of lines before it. They are kept longer: thousands of requests may follow one. */
const errors = new Recent<{ line: string; before: number }>(100);
const responses = new Recent<RecordedResponse>(200);

/** A log whose last lines can be shown. */
export function openTestLog(): Logger {
  const kept = { write: keep };
  const level = process.env.TEST_LOG_LEVEL;
  if (level === undefined) return openLog('info', kept);
  const { info, [level]: asked = info } = pino.levels.values as { info: number; [level: string]: number };
  const streams = [
    { level: 'info', stream: kept },
    { level, stream: pino.destination(2) },
  ] as const;
  return openLog(asked < info ? level : 'info', pino.multistream([...streams]));
}

function keep(line: string): void {
  if (Number(/^\{"level":(\d+)/.exec(line)?.[1]) >= pino.levels.values.error) errors.add({ line, before: lines.count });
  lines.add(line);
}

export function recordResponse(response: RecordedResponse): void {
  responses.add(response);
}

/** A moment, to show what came after it. */
export interface Moment {
  lines: number;
  responses: number;
}

export function now(): Moment {
  return { lines: lines.count, responses: responses.count };
}

/** At most so many lines of the log are shown, the last ones. */
const maxShown = 40;

/**
 * The last response since a moment and those that were errors of the server, with the lines of the log about them;
 * and all errors in the log, such as those of background work. Empty if there is nothing.
 */
export function describeSince(moment: Moment): string {
  const since = responses.after(moment.responses);
  const shown = since.filter((response, at) => response.status >= 500 || at === since.length - 1).slice(-5);
  const ids = new Set(shown.map(({ requestId }) => requestId));
  const kept = lines.after(moment.lines);
  const overwritten = errors
    .after(0)
    .filter(({ before }) => before >= moment.lines && before < lines.count - kept.length)
    .map(({ line }) => line);
  const logged = [...overwritten, ...kept]
    .map((line) => JSON.parse(line) as LogLine)
    .filter(({ level, requestId }) => level >= pino.levels.values.error || ids.has(requestId ?? ''))
    .slice(-maxShown);
  return [...shown.flatMap(responseLines), ...logged.flatMap(readable)].flatMap(wrap).join('\n');
}

function responseLines({ method, path, status, requestId, problem }: RecordedResponse): string[] {
  const first = `${method} ${path}: ${status}, request ${requestId}`;
  if (!problem) return [first];
  const { code, detail } = JSON.parse(problem) as { code: string; detail: string };
  return [first, `  ${code}: ${detail}`];
}

interface LogLine {
  level: number;
  requestId?: string;
  msg?: string;
  err?: { stack?: string; [field: string]: unknown };
  [field: string]: unknown;
}

/** A line of the log as text, and the stack of its error, with paths from the folder of the project. */
function readable({ level, time, pid, hostname, msg, err, ...fields }: LogLine): string[] {
  const { type, message, stack = '', ...details } = err ?? {};
  const rest = Object.entries({ ...fields, ...details }).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const first = [`${pino.levels.labels[level]}:`, msg, ...rest].filter(Boolean).join(' ');
  const lines = stack.replaceAll(`file://${process.cwd()}/`, '').split('\n');
  return [first, ...lines.filter((line) => line && !line.includes('node:internal')).map((line) => `  ${line}`)];
}

/** Characters of a line. YAML writes a text with longer ones in its folded style, where lines are hard to tell apart. */
const maxWidth = 76;

/** A line as several that are no longer than `maxWidth`, if it has spaces. */
function wrap(line: string): string[] {
  if (line.length <= maxWidth) return [line];
  const end = line.lastIndexOf(' ', maxWidth);
  const isIndentation = line.slice(0, end + 1).trim() === '';
  return isIndentation ? [line] : [line.slice(0, end), ...wrap(`    ${line.slice(end + 1)}`)];
}
