/**
 * Restarts and upgrades a box while shoppers check out and other clients keep connections open: no request may fail, no
 * connection may be reset, and the database runs on. Now and then the new box is one that cannot start, which nobody may
 * notice either. Then workers are killed and suspended, and no request may fail but those that the worker held. The
 * database is compared with the responses. At last the box is stopped at random moments of its start.
 */
import { readdir, readFile, readlink, writeFile } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@carton/runtime/testing';
import { fetchHealthStatus } from '../../installer/box/health.ts';
import { findFollowers, findRunningBox } from '../../installer/box/running.ts';
import { median } from '../../tools/load/measurement.ts';
import { type RigBox, startRigBox } from '../support/box.ts';
import { newTally, sum } from '../support/client.ts';
import { checkConsistency } from '../support/consistency.ts';
import { postmastersIn, urlOfEmbedded } from '../support/postgres.ts';
import type { Rig, Stage } from '../support/rig.ts';
import { sendShoppers } from '../support/shoppers.ts';
import { openTenants, stock } from '../support/tenants.ts';
import { stopDuringStarts } from './stops.ts';

/** Every so many switches, the new box cannot start. */
const failingEach = 5;
/** Most milliseconds for which a client leaves its connection idle. */
const longestPause = 1500;

export const rig: Rig = {
  about: 'Restarts a box during checkouts and on open connections, also with settings that fail: no request fails.',
  options: {
    switches: { about: 'replacements of the box', defaultValue: '50', short: '3' },
    shoppers: { about: 'concurrent shoppers', defaultValue: '6', short: '3' },
    connections: { about: 'other clients, each with a connection that it keeps', defaultValue: '20', short: '10' },
    workers: { about: 'processes of the box', defaultValue: '2' },
    stops: { about: 'stops at random moments of a start', defaultValue: '20', short: '2' },
    hung: { about: 'workers that are suspended until the supervisor kills them', defaultValue: '1', short: '0' },
    run: {
      about: 'how the box runs',
      defaultValue: 'background',
      oneOf: ['background', 'foreground'],
    },
  },
  timeLimit: (stage) => 180 + 20 * stage.number('switches') + 20 * stage.number('stops') + 90 * stage.number('hung'),
  async run(stage) {
    stage.say('starting a box');
    const box = await startRigBox(stage, {
      name: 'box',
      port: await freePort(),
      background: stage.word('run') === 'background',
      environment: { LOG_LEVEL: 'info', WORKERS: stage.word('workers') },
    });
    const tenants = await openTenants(box.url, 2);
    const tally = newTally();
    const shoppers = sendShoppers({
      urls: [box.url],
      tenants,
      shoppers: stage.number('shoppers'),
      tally,
      thinkTime: 60,
    });
    const clients = keepConnections(box.port, stage.number('connections'));
    const { broken, durations, failed } = await replaceRepeatedly(stage, box);
    const failures = () => sum(clients.failures) + sum(tally.lost) + tally.refused;
    const failedBefore = failures();
    const faults = await breakWorkers(stage, box, failures);
    await shoppers.stop();
    const connections = await clients.stop();
    const records = await checkConsistency(await urlOfEmbedded(box.databaseFolder), tenants, shoppers.purchases, stock);
    const stops = await stopDuringStarts(stage, box);
    broken.push(...faults.broken, ...stops.broken);
    if (failedBefore > 0) {
      const reasons = [...connections.failures, ...tally.lost]
        .map(([reason, count]) => `${count} ${reason}`)
        .join(', ');
      broken.push(`${failedBefore} requests failed during switches; of all: ${reasons}`);
    }
    if (tally.refused > 0) broken.push(`${tally.refused} connections of shoppers were refused`);
    for (const [status, count] of tally.statuses) if (status >= 500) broken.push(`${count} responses with ${status}`);
    return {
      broken: [...broken, ...tally.broken, ...records.broken],
      counts: {
        switches: durations.length,
        failedStarts: failed,
        medianMsOfSwitch: Math.round(median(durations)),
        stops: stops.durations.length,
        longestStopMs: Math.round(Math.max(0, ...stops.durations)),
        requests: tally.requests + connections.requests,
        requestsFailed: failedBefore,
        requestsHeld: faults.held,
        requestsFailedOfHeld: faults.failed,
        connectionsReused: connections.reused,
        longestRequestMs: Math.round(Math.max(tally.longest, connections.longest)),
        ...records.counts,
      },
    };
  },
};

/** Replaces the box again and again; some of the new ones cannot start. */
async function replaceRepeatedly(stage: Stage, box: RigBox) {
  const broken: string[] = [];
  const durations: number[] = [];
  let failed = 0;
  const before = await postmastersIn(box.databaseFolder);
  const settings = await readFile(box.folder.secrets, 'utf8');
  const switches = stage.number('switches');
  for (let number = 1; number <= switches; number++) {
    stage.signal.throwIfAborted();
    await sleep(Math.random() * 1000);
    const old = await box.pid();
    const started = performance.now();
    const { code, output } = await box.command('restart', '--json');
    durations.push(performance.now() - started);
    if (code !== 0 || (await box.pid()) === old) broken.push(`restart ${number} ended with ${code}: ${output}`);
    if (number % failingEach === 0 || number === switches) {
      await writeFile(box.folder.secrets, `${settings}RATE_LIMIT_READ=many\n`);
      const current = await box.pid();
      const refused = await box.command('restart', '--json');
      failed++;
      if (refused.code !== 18 || (await box.pid()) !== current) {
        broken.push(`a restart that must fail ended with ${refused.code}: ${refused.output}`);
      }
      await writeFile(box.folder.secrets, settings);
    }
    const postmasters = await postmastersIn(box.databaseFolder);
    if (String(postmasters) !== String(before)) {
      broken.push(`after switch ${number} PostgreSQL runs as ${postmasters.join(' and ')}, not as ${before.join()}`);
    }
    stage.say(`${number} of ${switches}: replaced in ${durations.at(-1)?.toFixed(0)} ms`);
  }
  return { broken, durations, failed };
}

/**
 * Kills workers while they serve, and the leader, and suspends some until the supervisor kills them.
 * @param failures returns how many requests have failed so far
 */
async function breakWorkers(stage: Stage, box: RigBox, failures: () => number) {
  const broken: string[] = [];
  const total = { held: 0, failed: 0 };
  const others = stage.number('workers') - 1;
  if (others < 1) return { broken, ...total };
  const postmasters = await postmastersIn(box.databaseFolder);
  const attack = async (what: string, pid: number, signal: NodeJS.Signals, isOver: () => Promise<boolean>) => {
    const before = failures();
    const holding = await connectionsOf(pid, box.port);
    process.kill(pid, signal);
    // A suspended process accepts no others; a killed one may have.
    const held = signal === 'SIGSTOP' ? await connectionsOf(pid, box.port) : holding;
    if (signal === 'SIGSTOP') stage.say(`${what}: it holds ${held} connections`);
    while (!(await isOver())) {
      stage.signal.throwIfAborted();
      await sleep(100);
    }
    // Clients notice the end of their connections.
    await sleep(longestPause + 500);
    const failed = failures() - before;
    total.held += held;
    total.failed += failed;
    stage.say(`${what}: ${failed} requests failed`);
    return { held, failed };
  };
  const followers = async () => (await findFollowers(box.folder, { pid: await box.pid() })).map(({ pid }) => pid);
  const isReplaced = (pid: number) => async () => {
    const pids = await followers();
    return pids.length === others && !pids.includes(pid);
  };
  const limited = (what: string, { held, failed }: { held: number; failed: number }) => {
    if (failed > held) broken.push(`${what}: ${failed} requests failed, but it held ${held} connections`);
  };
  for (let number = 1; number <= stage.number('hung'); number++) {
    const [pid] = (await followers()) as [number];
    limited('a suspended worker', await attack('a suspended worker', pid, 'SIGSTOP', isReplaced(pid)));
  }
  const [pid] = (await followers()) as [number];
  const clients = stage.number('shoppers') + stage.number('connections');
  const { failed } = await attack('a killed worker', pid, 'SIGKILL', isReplaced(pid));
  if (failed > clients) broken.push(`a killed worker: ${failed} requests of ${clients} clients failed`);
  const leader = await box.pid();
  const isStarted = async () => {
    const running = await findRunningBox(box.folder);
    return running !== undefined && running.pid !== leader && (await fetchHealthStatus(box.url)) === 200;
  };
  const ofLeader = await attack('a killed leader', leader, 'SIGKILL', isStarted);
  if (ofLeader.failed > clients)
    broken.push(`a killed leader: ${ofLeader.failed} requests of ${clients} clients failed`);
  const found = await postmastersIn(box.databaseFolder);
  if (String(found) !== String(postmasters))
    broken.push(`PostgreSQL runs as ${found.join(' and ')}, not ${postmasters}`);
  return { broken, ...total };
}

/** Counts the connections of clients that a process holds. */
async function connectionsOf(pid: number, port: number): Promise<number> {
  const files = await readdir(`/proc/${pid}/fd`).catch(() => []);
  const sockets = await Promise.all(files.map((file) => readlink(`/proc/${pid}/fd/${file}`).catch(() => '')));
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const lines = (await readFile('/proc/net/tcp', 'utf8')).split('\n').map((line) => line.trim().split(/\s+/));
  return lines.filter(([, address, , state, , , , , , inode]) => {
    return address?.endsWith(local) && state === '01' && sockets.includes(`socket:[${inode}]`);
  }).length;
}

/** Sends requests on connections that stay open, with pauses between them. */
function keepConnections(port: number, count: number) {
  const failures = new Map<string, number>();
  const counts = { requests: 0, reused: 0, longest: 0 };
  let open = true;
  const client = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (open) {
      const started = performance.now();
      const { reason, reused } = await request(port, agent);
      counts.requests++;
      if (reused) counts.reused++;
      if (reason) failures.set(reason, (failures.get(reason) ?? 0) + 1);
      counts.longest = Math.max(counts.longest, performance.now() - started);
      // Most requests follow one another closely, so that many meet the moment of a switch.
      await sleep(Math.random() < 0.8 ? Math.random() * 30 : Math.random() * longestPause);
    }
    agent.destroy();
  };
  const all = Promise.all(Array.from({ length: count }, client));
  return {
    failures,
    async stop() {
      open = false;
      await all;
      return { ...counts, failures };
    },
  };
}

/** @returns why the request failed, if it did, and whether it had a connection of an earlier one */
function request(port: number, agent: Agent): Promise<{ reason?: string; reused: boolean }> {
  return new Promise((resolve) => {
    const sent = get({ host: '127.0.0.1', port, path: '/health', agent, timeout: 30_000 }, (response) => {
      response.resume();
      response.once('end', () => {
        const { statusCode } = response;
        resolve({ reused: sent.reusedSocket, ...(statusCode !== 200 && { reason: `status ${statusCode}` }) });
      });
      response.once('error', (error) => resolve({ reason: error.message, reused: sent.reusedSocket }));
    });
    sent.once('timeout', () => sent.destroy(new Error('no response')));
    sent.once('error', (error: NodeJS.ErrnoException) =>
      resolve({ reason: `${error.code ?? error.message}`, reused: sent.reusedSocket }),
    );
  });
}
