/**
 * Compares the responses to addresses that have an account with those to addresses that have none: status, headers and
 * bodies byte for byte, and times.
 *
 * An attacker with a list of addresses sends one request for each and guesses by the time of the response. The measure
 * is how well one response tells: the AUC, 0.5 if it tells nothing. The rig is closer than any attacker: on the same
 * machine, one request at a time, nothing else to do for the box, and thousands of addresses of which it knows the
 * truth. Responses that differ by an AUC of 0.02 take about 2,100 requests for one address until 95 % of guesses are
 * right, if all else is as quiet; the throttle (vendor/auth/attempts/service.ts) allows one a minute for log-ins and
 * one in 15 minutes for links, and each request for a link leaves a mail. Over a network each millisecond of jitter
 * multiplies that. With 10,000 tries chance reaches 0.02 less than once in a million measurements, so the full form reports more
 * than that as broken. The short form prints figures and checks only the responses.
 *
 * Hashing a password takes most of the time of a log-in: 10,000 tries of each kind take more than an hour. With
 * `--hashes quick` they take minutes, and the rest of the work is a larger part of what is measured.
 *
 * Known and unknown addresses follow each other at random within blocks, not in pairs: what a request causes after its
 * response, such as a mail, then delays both kinds equally often. Each address and each client address is used once, so
 * nothing is throttled.
 */
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { startMailServer } from '@carton/notification/testing';
import { freePort } from '@carton/runtime/testing';
import { rounded } from '../../tools/load/measurement.ts';
import { showProgress } from '../../tools/progress.ts';
import { startRigBox } from '../support/box.ts';
import { urlOfEmbedded } from '../support/postgres.ts';
import type { Findings, Rig, Stage } from '../support/rig.ts';
import { openTenants } from '../support/tenants.ts';
import { aucLimit, type Comparison, compareTimes } from '../support/timing-statistics.ts';
import { type Addresses, createAccounts, drawAddresses, type Probe, probes } from './probes.ts';

/** The first tries of each kind, which do not count. */
const warmUps = { full: 20, short: 2 };
/** Tries of each kind in a block. */
const blockSize = 20;
const names = probes.map(({ name }) => name);

export const rig: Rig = {
  about: 'Compares responses to addresses with and without an account: contents, and times.',
  options: {
    tries: { about: 'requests of each kind, with and without an account', defaultValue: '10000', short: '5' },
    hashes: {
      about: 'password hashes as they are, or quick ones at a sixteenth of their cost',
      defaultValue: 'real',
      oneOf: ['real', 'quick'],
    },
    probe: { about: 'the request to measure', defaultValue: 'all', oneOf: ['all', ...names] },
  },
  timeLimit: (stage) => 600 + 6 * stage.number('tries'),
  async run(stage) {
    const mails = await startMailServer({ closeTimeout: 1000 });
    stage.atEnd('the mail server', () => mails.stop());
    stage.say('starting a box');
    const environment = { ...mails.environment, TRUST_PROXY: 'loopback' };
    const preload = stage.word('hashes') === 'quick' ? new URL('./quick-hashes.ts', import.meta.url) : undefined;
    const box = await startRigBox(stage, { name: 'box', port: await freePort(), environment, preload });
    stage.say(`the box serves at ${box.url}`);
    const [tenant] = await openTenants(box.url, 1);
    if (!tenant) throw new Error('there is no tenant');
    const databaseUrl = await urlOfEmbedded(box.databaseFolder);
    const chosen = probes.filter(({ name }) => ['all', name].includes(stage.word('probe')));
    const send = clientOf(box.url, tenant.tenantHeaders);
    const broken: string[] = [];
    const measured: [Probe, Comparison][] = [];
    for (const probe of chosen) {
      const addresses = drawAddresses(stage.number('tries') + warmUpsOf(stage));
      await createAccounts(databaseUrl, tenant.tenantId, probe, addresses.known);
      const { known, unknown, faults } = await measure(stage, probe, send, addresses);
      const comparison = compareTimes({ known, unknown }, stage.short ? 100 : 1000);
      broken.push(...faults);
      if (!stage.short) broken.push(...differenceOf(probe, comparison, stage.number('tries')));
      measured.push([probe, comparison]);
    }
    for (const line of tableOf(measured)) stage.say(line);
    return { broken, counts: countsOf(stage, measured) };
  },
};

const warmUpsOf = ({ short }: Stage) => warmUps[short ? 'short' : 'full'];

/** What may differ between any two responses, by header; only its length is compared. */
const variable = new Set(['date', 'x-request-id', 'x-session-id', 'set-cookie']);
const requestId = /"instance":"[^"]*"/;

interface TimedResponse {
  status: number;
  /** All that the client receives, without what differs by nature. */
  contents: string;
  milliseconds: number;
}

type Send = (path: string, body: Record<string, string>) => Promise<TimedResponse>;

/** Sends requests over one connection, as if a proxy passed them on from a new client each. */
function clientOf(url: string, headers: Record<string, string>): Send {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let clients = 0;
  return async (path, body) => {
    const text = JSON.stringify(body);
    const number = ++clients;
    const address = `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
    const sent = request(url + path, {
      agent,
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
        'x-forwarded-for': address,
      },
    });
    const started = performance.now();
    sent.end(text);
    const [response] = await once(sent, 'response');
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    const milliseconds = performance.now() - started;
    const received = Buffer.concat(chunks).toString('latin1').replace(requestId, '"instance":""');
    const lines = (response.rawHeaders as string[]).map((part, at, all) => {
      const isVariable = at % 2 === 1 && variable.has((all[at - 1] as string).toLowerCase());
      return isVariable ? `${part.length} characters` : part;
    });
    return {
      status: response.statusCode,
      contents: [response.statusCode, ...lines, received].join('\n'),
      milliseconds,
    };
  };
}

interface Measured {
  known: number[];
  unknown: number[];
  faults: string[];
}

async function measure(stage: Stage, probe: Probe, send: Send, addresses: Addresses): Promise<Measured> {
  const measured: Measured = { known: [], unknown: [], faults: [] };
  const contents = { known: new Set<string>(), unknown: new Set<string>() };
  const progress = showProgress(process.stdout, 'requests');
  const total = addresses.known.length;
  const started = performance.now();
  try {
    for (let first = 0; first < total; first += blockSize) {
      const size = Math.min(blockSize, total - first);
      const block = (['known', 'unknown'] as const).flatMap((kind) =>
        Array.from({ length: size }, (_, at) => ({ kind, at: first + at, order: Math.random() })),
      );
      for (const { kind, at } of block.toSorted((one, other) => one.order - other.order)) {
        stage.signal.throwIfAborted();
        const email = addresses[kind][at] as string;
        const response = await send(probe.path, { email, ...probe.body });
        if (response.status !== probe.status) {
          throw new Error(`POST ${probe.path} returned ${response.contents}`);
        }
        contents[kind].add(response.contents);
        if (at >= warmUpsOf(stage)) measured[kind].push(response.milliseconds);
        if (probe.pause > 0) await sleep(probe.pause);
      }
      const count = 2 * (first + size);
      progress.update({ step: probe.name, done: count / (2 * total), count });
    }
  } finally {
    progress.stop();
  }
  stage.say(`${probe.name}: ${2 * total} requests in ${rounded((performance.now() - started) / 1000, 1)} s`);
  return { ...measured, faults: faultsOf(probe, contents) };
}

/** Every response of a probe is the same. */
export function faultsOf(
  { path }: Pick<Probe, 'path'>,
  { known, unknown }: { known: ReadonlySet<string>; unknown: ReadonlySet<string> },
): string[] {
  const all = [...new Set([...known, ...unknown])];
  if (all.length === 1 && known.size === 1 && unknown.size === 1) return [];
  const lines = all.map((contents) => {
    const kinds = [...(known.has(contents) ? ['known'] : []), ...(unknown.has(contents) ? ['unknown'] : [])];
    return `${kinds.join(' and ')}: ${JSON.stringify(contents)}`;
  });
  return [`POST ${path} has different responses: ${lines.join('; ')}`];
}

/** Whether the times tell more than the limit. */
export function differenceOf({ path }: Pick<Probe, 'path'>, { auc }: Comparison, tries: number): string[] {
  const limit = aucLimit(tries);
  if (Math.abs(auc - 0.5) <= limit) return [];
  return [`the time of POST ${path} tells known addresses: AUC ${auc.toFixed(4)}, allowed 0.5 ± ${limit.toFixed(4)}`];
}

function tableOf(measured: readonly [Probe, Comparison][]): string[] {
  const head = 'median ms, difference in µs (99 % confidence) and percent, AUC, best guess';
  const rows = measured.map(([{ path }, { median, difference, from, to, percent, auc, bestGuess }]) => {
    const columns = [
      median.toFixed(2).padStart(9),
      difference.toFixed(0).padStart(7),
      `(${from.toFixed(0)} to ${to.toFixed(0)})`.padEnd(16),
      `${percent.toFixed(2)} %`.padStart(8),
      auc.toFixed(4),
      `${(bestGuess * 100).toFixed(1)} %`,
      `POST ${path}`,
    ];
    return columns.join('  ');
  });
  return [head, ...rows];
}

function countsOf(stage: Stage, measured: readonly [Probe, Comparison][]): Findings['counts'] {
  const figures = measured.flatMap(([{ name }, { auc, difference, percent }]) => [
    [`${name} AUC`, rounded(auc, 4)] as const,
    [`${name} µs`, rounded(difference, 0)] as const,
    [`${name} percent`, rounded(percent, 2)] as const,
  ]);
  return {
    tries: stage.number('tries'),
    limit: rounded(aucLimit(stage.number('tries')), 4),
    ...Object.fromEntries(figures),
  };
}
