/**
 * The state machine of a supervisor as tables: which event leads from which state to which, and for each state what is
 * done and what is ignored.
 */
import { conditions, type EventName, events, type State, states, steps } from '../../installer/supervisor/states.ts';
import { type Outcome, type Transition, table } from '../../installer/supervisor/transitions.ts';

const names = Object.keys(states) as State[];
const code = (word: string) => `\`${word}\``;
const tableOf = (head: string[], rows: string[][]) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

export function supervisorTables(): string {
  const overview = Object.entries(events).map(([event, meaning]) => [
    `${code(event)}: ${meaning}`,
    ...names.map((state) => nextOf(state, table[state][event as EventName])),
  ]);
  return [
    tableOf(['Event', ...names.map(code)], overview),
    'A cell is the next state. A `·` is the same state, and an empty cell an event that is ignored.',
    ...names.flatMap((state) => [`### ${code(state)}`, `${states[state]}.`, transitionsOf(state), ignoredOf(state)]),
  ].join('\n\n');
}

function nextOf(state: State, outcome: Outcome): string {
  if ('ignored' in outcome) return '';
  const next = outcome.map(({ to }) => (to === state ? '·' : code(to)));
  return [...new Set(next)].join(' or ');
}

/** Returns the transitions of a state. Events with the same ones share a row. */
function transitionsOf(state: State): string {
  const shared = new Map<string, { events: string[]; transitions: readonly Transition[] }>();
  for (const [event, outcome] of Object.entries(table[state])) {
    if ('ignored' in outcome) continue;
    const same = shared.get(JSON.stringify(outcome));
    if (same) same.events.push(code(event));
    else shared.set(JSON.stringify(outcome), { events: [code(event)], transitions: outcome });
  }
  const rows = [...shared.values()].flatMap(({ events, transitions }) =>
    transitions.map(({ when, to, steps: done }) => {
      const condition = when ? conditions[when].text : transitions.length > 1 ? 'otherwise' : '';
      return [events.join(', '), condition, to === state ? '·' : code(to), done.map((step) => steps[step]).join('; ')];
    }),
  );
  return tableOf(['Event', 'If', 'Next', 'What it does'], rows);
}

function ignoredOf(state: State): string {
  const reasons = new Map<string, string[]>();
  for (const [event, outcome] of Object.entries(table[state])) {
    if ('ignored' in outcome) reasons.set(outcome.ignored, [...(reasons.get(outcome.ignored) ?? []), code(event)]);
  }
  const items = [...reasons].map(([reason, ignored]) => `- ${ignored.join(', ')}: ${reason}`);
  return ['Ignored:', '', ...items].join('\n');
}
