/**
 * Mutations of the supervisor of a box: what it does after which event.
 */
import type { Mutation } from '../mutation.ts';

const file = 'installer/supervisor/transitions.ts';
const transitions = 'installer/supervisor/test/transitions.test.ts';
const faults = 'installer/supervisor/test/faults.test.ts';

export const supervisor: readonly Mutation[] = [
  {
    rule: 'A box that was stopped in its back-off is not started again',
    file,
    text: "'next', 'none', 'removed', ...answersAfterPause),\n    // It was checked",
    replacement:
      "'next', 'none', 'removed', 'queued', 'other'),\n    waited: [to('stopping', 'launch')],\n    // It was checked",
    tests: [transitions],
  },
  {
    rule: 'A process that is started after the signal to stop is sent it',
    file,
    text: "[to('stopping', 'terminate')]",
    replacement: "[to('stopping')]",
    tests: [transitions],
  },
  {
    rule: 'A box that was never healthy is not started again',
    file: 'installer/supervisor/states.ts',
    text: 'status !== 0 && hasBeenHealthy',
    replacement: 'status !== 0',
    tests: [transitions],
  },
  {
    rule: 'Only the health check of the supervisor ends the back-off',
    file,
    text: "foundHealthy: [to('running', 'noteHealthy')]",
    replacement: "foundHealthy: [to('running', 'noteHealthy', 'resetPause')]",
    tests: [transitions],
  },
  {
    rule: 'What a command has stopped has not failed',
    file,
    text: "nothing: [to('ending', 'endWith0')],\n    next",
    replacement: "nothing: [to('ending', 'end')],\n    next",
    tests: [transitions, 'installer/test/crash-loop.test.ts'],
  },
  {
    rule: 'A third signal kills the box',
    file,
    text: "to('stopping', 'countStop', 'killAll')]",
    replacement: "to('stopping', 'countStop', 'stopAll')]",
    tests: [transitions],
  },
  {
    rule: 'A process that the PID file cannot name does not run on',
    file: 'installer/supervisor/supervisor.ts',
    text: "process.child.kill('SIGKILL');",
    replacement: '',
    tests: [faults],
  },
  {
    rule: 'The second signal ends draining, and kills nothing',
    file,
    text: "[when('isSecondStop', to('stopping', 'countStop', 'stopAll')), to",
    replacement: '[to',
    tests: [transitions],
  },
  {
    rule: 'A health check that succeeds ends the back-off',
    file,
    text: "'noteHealthy', 'resetPause', 'startFollowers'",
    replacement: "'noteHealthy', 'startFollowers'",
    tests: [transitions],
  },
  {
    rule: 'A restart that fails is tried again',
    file,
    text: "failed: [when('hasCrashed', {",
    replacement: "failed: [...fails, when('hasCrashed', {",
    tests: [transitions, faults],
  },
  {
    rule: 'The supervisor outlives output that cannot be written',
    file: 'installer/supervisor/lost-output.ts',
    text: ".on('error', () => undefined)",
    replacement: '',
    tests: [faults],
  },
  {
    rule: 'Root takes no process of another user for the box',
    file: 'installer/box/process-table.ts',
    text: 'process.getuid?.() !== 0 || userOf(pid) === user',
    replacement: 'true',
    tests: ['installer/supervisor/test/other-users.test.ts'],
  },
  {
    rule: 'Root signals a PostgreSQL only of the owner of its data',
    file: 'installer/backup/home.ts',
    text: 'return userOf(pid) === statSync(data, { throwIfNoEntry: false })?.uid;',
    replacement: 'return true;',
    tests: ['installer/backup/test/foreign-database.test.ts'],
  },
  {
    rule: 'A supervisor removes what killed processes were writing',
    file: 'installer/supervisor/supervision.ts',
    text: 'await removeLeftovers(folder);',
    replacement: '',
    tests: ['installer/test/leftovers.test.ts'],
  },
  {
    rule: 'Pauses before a restart grow',
    file,
    text: "'warnRestart', 'wait', 'doublePause'",
    replacement: "'warnRestart', 'wait'",
    tests: [transitions],
  },
  {
    rule: 'Pauses before a restart grow to 30 seconds only',
    file: 'installer/supervisor/states.ts',
    text: 'Math.min(memory.pause * 2, longestPauseMilliseconds)',
    replacement: 'memory.pause * 2',
    tests: [transitions],
  },
  {
    rule: 'A box that another command has started is not started beside it',
    file,
    text: "other: [to('ending', 'end')],",
    replacement: "other: [to('starting', 'launch')],",
    tests: [transitions],
  },
  {
    rule: 'A box that hangs is killed, also while it stops',
    file,
    text: "hung: [to('stopping', 'warnHung', 'killHung')],",
    replacement: "hung: [to('stopping', 'warnHung')],",
    tests: [transitions],
  },
  {
    rule: 'A queue that appears in the back-off is looked at',
    file,
    text: "queued: [to('between', 'look')],",
    replacement: "queued: [to('starting', 'launch')],",
    tests: [transitions],
  },
  {
    rule: 'A former box that exits after its replacement is not started again',
    file: 'installer/supervisor/supervisor.ts',
    text: 'if (!this.#isReplaced(exited)) this.report(',
    replacement: 'this.report(',
    tests: ['installer/test/replacement.test.ts'],
  },
];
