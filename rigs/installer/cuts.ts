/**
 * The network is cut at every stage of an install: one line, the documented exit code, and the same command finishes the
 * work once the network is back. Cables are pulled in a network namespace, where packets get lost without a word.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { ExitCode } from '../../installer/exit-codes.ts';
import type { Findings, Stage } from '../support/rig.ts';
import { faultsOfFailure, type Installation, messageOf, prepareInstallation } from './command.ts';
import { type RigVendor, startRigVendor } from './vendor.ts';

/** Where the connection is cut: when a text is sent, after so many bytes of the response. */
interface Cut {
  what: string;
  text: string;
  bytes?: number;
  code: ExitCode;
}

const cuts: Cut[] = [
  { what: 'before the activation', text: 'POST /license/activate', code: 'control_plane_unavailable' },
  { what: 'in the activation', text: 'POST /license/activate', bytes: 150, code: 'control_plane_unavailable' },
  { what: 'before the release', text: 'GET /releases/', code: 'control_plane_unavailable' },
  { what: 'in the release', text: 'GET /releases/', bytes: 1000, code: 'control_plane_unavailable' },
  { what: 'before a description', text: 'GET /@carton%2fcart', code: 'registry_refused' },
  { what: 'in a description', text: 'GET /@carton%2fcart', bytes: 400, code: 'registry_refused' },
  { what: 'before a package', text: '/-/core-', code: 'registry_refused' },
  { what: 'in a package', text: '/-/core-', bytes: 20_000, code: 'registry_refused' },
  { what: 'in the largest package', text: '/-/postgresql-', bytes: 10_000_000, code: 'registry_refused' },
];
const shortCut = 'in a package';

export async function cutNetwork(stage: Stage, vendor: RigVendor): Promise<Findings> {
  const broken: string[] = [];
  const counts = { cuts: 0, cutAfterPull: 0 };
  const box = await prepareInstallation(stage, vendor, join(stage.folder, 'cut-box'));
  for (const { what, text, bytes, code } of cuts) {
    if (stage.short && what !== shortCut) continue;
    stage.signal.throwIfAborted();
    vendor.line.cutAt(text, bytes);
    const end = await box.install();
    if (!vendor.line.isCut) throw new Error(`${what}: the connection was not cut`);
    await vendor.line.mend();
    counts.cuts += 1;
    const where = `network cut ${what}`;
    for (const fault of faultsOfFailure(end, code)) broken.push(`${where}: ${fault}`);
    const state = await box.state();
    if (state !== 'not_installed') broken.push(`${where}: the box is ${state}`);
    stage.say(`${where}: exit code ${end.status}, ${messageOf(end)}`);
    await finish(box, where, broken);
  }
  if (stage.short) return { broken, counts };
  // Once everything is pulled, no network is needed.
  const { ended } = box.begin(({ event }) => {
    if (event === 'laid_out') vendor.line.cut();
  });
  const end = await ended;
  if (end.status !== 0) broken.push(`network cut after the pull: ${messageOf(end)}`);
  counts.cutAfterPull += 1;
  await vendor.line.mend();
  await box.run('uninstall', '--data', '--yes');
  return { broken, counts };
}

const namespace = `rig-installer-${process.pid}`;
const ip = (...words: string[]) => spawnSync('ip', words).status === 0;

/** The address of this machine at its end of the cable to the namespace: one of those for documentation (RFC 5737). */
const near = '198.51.100.1';
const far = '198.51.100.2';

/** Pulls the cable of a network namespace. @returns undefined if this user or machine has none */
export async function pullCables(stage: Stage): Promise<Findings | undefined> {
  if (!ip('netns', 'add', namespace)) return undefined;
  const cable = `rig${process.pid % 100_000}`;
  stage.atEnd('the network namespace', () => ip('netns', 'del', namespace));
  const isUp =
    ip('link', 'add', cable, 'type', 'veth', 'peer', 'name', 'cable', 'netns', namespace) &&
    ip('addr', 'add', `${near}/30`, 'dev', cable) &&
    ip('link', 'set', cable, 'up') &&
    ip('-n', namespace, 'addr', 'add', `${far}/30`, 'dev', 'cable') &&
    ip('-n', namespace, 'link', 'set', 'cable', 'up') &&
    ip('-n', namespace, 'link', 'set', 'lo', 'up');
  if (!isUp) return undefined;
  const vendor = await startRigVendor(stage, near);
  await vendor.releaseNext();
  const broken: string[] = [];
  const enter = ['ip', 'netns', 'exec', namespace];
  const moments: [event: string, code: ExitCode][] = [
    ['activated', 'control_plane_unavailable'],
    ['package 5', 'registry_refused'],
  ];
  for (const [at, code] of moments) {
    const box = await prepareInstallation(stage, vendor, join(stage.folder, 'cable-box'), { prefix: enter });
    const { ended } = box.begin(({ event, done }) => {
      if (at === event || at === `${event} ${done}`) ip('link', 'set', cable, 'down');
    });
    const end = await ended;
    ip('link', 'set', cable, 'up');
    const where = `cable pulled at ${at}`;
    for (const fault of faultsOfFailure(end, code)) broken.push(`${where}: ${fault}`);
    stage.say(`${where}: exit code ${end.status} after ${(end.milliseconds / 1000).toFixed(0)} s, ${messageOf(end)}`);
    await finish(box, where, broken);
  }
  return { broken, counts: { cablesPulled: moments.length } };
}

/** With the network, the same command finishes; then the box is removed. */
async function finish(box: Installation, where: string, broken: string[]): Promise<void> {
  const end = await box.install();
  if (end.status !== 0) broken.push(`${where}: the next one ended with ${messageOf(end)}`);
  else if ((await box.state()) !== 'ok') broken.push(`${where}: the box is not healthy after the next one`);
  for (const fault of await box.faults()) broken.push(`${where}: ${fault} remains`);
  await box.run('uninstall', '--data', '--yes');
}
