// Logs one JSON object per line on standard output, as log collectors expect.

export type Log = (level: 'info' | 'warn' | 'error', message: string, fields?: Record<string, unknown>) => void;

/** Writes `{ time, level, message, ...fields }` as one line; `time` is ISO 8601 UTC. */
export const logToStandardOutput: Log = (level, message, fields = {}) => {
  process.stdout.write(`${JSON.stringify({ time: new Date().toISOString(), level, message, ...fields })}\n`);
};
