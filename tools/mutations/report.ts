/**
 * The report of a run: a table in Markdown, and a line of JSON.
 */
import type { RunResult } from './run.ts';

/** One row for each mutation, with the first assertion that failed. */
export function tableOf({ mutations }: RunResult): string {
  const rows = mutations.map(({ mutation: { subject, rule, file }, state, outcomes, seconds }) => {
    const failures = outcomes.map((outcome) => outcome.failure ?? `${outcome.file} succeeds`);
    return [subject, rule, file, state, failures.join('; '), String(seconds)];
  });
  const lines = [['Subject', 'Rule', 'File', 'Outcome', 'Failed', 'Seconds'], Array(6).fill('---'), ...rows];
  return lines.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`).join('\n');
}

export function summaryOf({ failing, mutations }: RunResult) {
  const count = (state: string) => mutations.filter((each) => each.state === state).length;
  return {
    red: count('red'),
    green: count('green'),
    broken: count('broken'),
    failingWithoutMutation: failing.map(({ file, failure }) => ({ file, failure })),
    mutations: mutations.map(({ mutation: { subject, rule, file }, state, outcomes, seconds }) => ({
      ...{ subject, rule, file, state, seconds },
      tests: outcomes.map((outcome) => ({ file: outcome.file, state: outcome.state, failure: outcome.failure })),
    })),
  };
}
