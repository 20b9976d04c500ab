/**
 * A control plane that asks clients to wait: a command waits that long, says so, and ends with the exit status of an
 * unavailable control plane when it would take too long.
 */
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { install } from '../index.ts';
import { type Output, silent } from '../output/output.ts';
import { scope } from '../vendor.ts';
import { key, list, makeBox } from './support/box.ts';
import { makePackage, makeRuntime } from './support/packages.ts';
import { startVendor } from './support/vendor.ts';

const core = `${scope}/core`;
const vendor = await startVendor([makeRuntime(), makePackage({ name: core })], {
  [key]: { tier: 'basic', packages: [`${scope}/runtime`, core] },
});
t.teardown(() => vendor.close());
t.beforeEach(() => {
  vendor.interceptControlPlane = undefined;
});

/** Refuses the first requests to each path, with this header. */
function refuseFirst(count: number, retryAfter: string, status = 429): Map<string, number> {
  const refused = new Map<string, number>();
  vendor.interceptControlPlane = (path, response) => {
    const before = refused.get(path) ?? 0;
    if (before === count) return false;
    refused.set(path, before + 1);
    const problem = { code: 'too_many_requests', title: 'Too many requests', status };
    response.writeHead(status, { 'retry-after': retryAfter, 'content-type': 'application/problem+json' });
    response.end(JSON.stringify(problem));
    return true;
  };
  return refused;
}

async function tryInstall(signal?: AbortSignal, onWait?: () => void) {
  const { dir, port } = await makeBox(t, vendor);
  const warnings: string[] = [];
  const warn = (text: string) => {
    warnings.push(text);
    if (text.startsWith('the control plane')) onWait?.();
  };
  const output: Output = { ...silent, warn };
  const options = {
    dir,
    port,
    licenseKey: key,
    controlPlaneUrl: vendor.controlPlaneUrl,
    packageKeys: [],
    start: false,
  };
  const ended = install({ ...options, ...(signal && { signal }) }, output).then(
    () => null,
    (error) => error,
  );
  return { failure: await ended, waits: warnings.filter((text) => text.startsWith('the control plane')), dir };
}

t.test('it waits as long as it is asked to, and says so', async (t) => {
  const refused = refuseFirst(2, '1');
  const { failure, waits } = await tryInstall();
  t.equal(failure, null);
  t.strictSame([...refused.values()], [2, 2], 'the activation and the release');
  t.match(waits, exactly(Array(4).fill('the control plane: too many requests; trying again in 1 s')));
});

t.test('a date counts, and 503 with Retry-After', async (t) => {
  refuseFirst(1, new Date(Date.now() - 1000).toUTCString(), 503);
  const { failure, waits } = await tryInstall();
  t.equal(failure, null);
  t.match(waits, exactly(Array(2).fill('the control plane: unavailable; trying again in 0 s')));
});

t.test('it does not wait longer than a minute, and the error says how long', async (t) => {
  const refused = refuseFirst(9, '90');
  const { failure, waits, dir } = await tryInstall();
  t.match(failure, {
    code: 'control_plane_unavailable',
    exitCode: 5,
    message: /failed: too many requests; retry after 90 s/,
    advice: 'Run the command again in 90 s',
    facts: { status: 429, waitSeconds: 90 },
  });
  t.strictSame([waits, [...refused.values()]], [[], [1]]);
  t.strictSame(await list(dir), []);
});

t.test('the minute is that of all waits of a request', async (t) => {
  const waits = ['1', '59'];
  let refused = 0;
  vendor.interceptControlPlane = (_, response) => {
    response.writeHead(429, { 'retry-after': waits[refused++] ?? '0' }).end();
    return true;
  };
  const { failure } = await tryInstall();
  t.match(failure, { code: 'control_plane_unavailable', message: /retry after 59 s/ });
  t.equal(refused, 2);
});

t.test('a signal ends the wait', async (t) => {
  const refused = refuseFirst(100, '50');
  const controller = new AbortController();
  const { failure } = await tryInstall(controller.signal, () => controller.abort());
  t.match(failure, { code: 'interrupted', exitCode: 130 });
  t.strictSame([...refused.values()], [1]);
});

t.test('without Retry-After it is tried three times', async (t) => {
  let requests = 0;
  vendor.interceptControlPlane = (_, response) => {
    requests++;
    response.writeHead(429).end();
    return true;
  };
  const { failure } = await tryInstall();
  t.match(failure, { code: 'control_plane_unavailable', exitCode: 5, message: /too many requests/ });
  t.equal(requests, 3);
});
