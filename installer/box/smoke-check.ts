/**
 * The smoke check of a release: a box whose `/health` responds may still fail every shopper. A release counts as good only
 * after its document, and the products of its stores, have been read.
 */
import { get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { Failure, interrupted } from '../failure.ts';
import type { Output } from '../output/output.ts';
import type { Launch } from './environment.ts';
import { boxUrl, requestTo } from './health.ts';

/** How often a request is made until it counts as failed: a box that has just started may be short of connections. */
const attempts = 3;
const pauseMilliseconds = 300;
const timeoutMilliseconds = 15_000;
const maxBodyBytes = 64_000_000;
/** So many stores are checked: they share the program and the tables, so a fault is a fault of all. */
const maxStores = 20;
/** What a store may respond with instead of its products: it is suspended, or was removed meanwhile. */
const acceptedProblems = new Set(['tenant_suspended', 'tenant_not_found']);

interface Answer {
  status: number;
  /** The JSON of the body; undefined if it is none. */
  body: unknown;
}

/**
 * Reads the document of a running box, the list of its stores, and the products of each.
 * @param url where the box is asked; by default where it serves
 * @throws Failure box_not_healthy that names the request and its response; interrupted
 */
export async function smokeCheck(
  launch: Launch,
  output: Output,
  signal?: AbortSignal,
  url: string = boxUrl(launch),
): Promise<void> {
  const { OPERATOR_SECRET: operator, HOSTING_SECRET: hosting } = launch.secrets;
  const ask = (path: string, headers: Record<string, string>, isGood: (answer: Answer) => boolean) =>
    askRepeatedly(url, path, headers, isGood, signal);

  const { body: document } = await ask('/docs/json', {}, ({ status, body }) => status === 200 && isDocument(body));
  const { paths } = document as { paths: Record<string, { get?: object }> };
  const has = (path: string) => paths[path]?.get !== undefined;
  let stores = 0;
  if (has('/products')) {
    const isGood = (answer: Answer) => hasItems(answer) || isAcceptedProblem(answer);
    if (has('/admin/tenants') && operator && hosting) {
      const list = await ask('/admin/tenants', { authorization: `Bearer ${operator}` }, hasItems);
      const { items } = list.body as { items: { slug: string }[] };
      for (const { slug } of items.slice(0, maxStores)) {
        await ask('/products', { 'x-tenant-slug': slug, 'x-hosting-secret': hosting }, isGood);
        stores += 1;
      }
    } else {
      await ask('/products', {}, isGood);
    }
  }
  output.info('smoke_checked', `smoke check passed: the document, and the products of ${stores} stores`, { stores });
}

async function askRepeatedly(
  url: string,
  path: string,
  headers: Record<string, string>,
  isGood: (answer: Answer) => boolean,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    if (signal?.aborted) throw interrupted();
    const answer = await request(url, path, headers);
    if (answer && isGood(answer)) return answer;
    if (attempt < attempts) {
      await pause(pauseMilliseconds);
      continue;
    }
    const store = headers['x-tenant-slug'] ? ` of the store ${headers['x-tenant-slug']}` : '';
    throw new Failure(
      'box_not_healthy',
      `the box failed its smoke check: GET ${path}${store} ${describe(answer)}`,
      'See the log of the box, and report it to the vendor',
      { smokeCheck: { path, status: answer?.status } },
    );
  }
}

function describe(answer: Answer | undefined): string {
  if (!answer) return 'had no response';
  return answer.status === 200 ? 'responded with an invalid body' : `responded with ${answer.status}`;
}

/** Requests the box directly, without the proxy of the environment. @returns undefined without a response */
function request(url: string, path: string, headers: Record<string, string>): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    const sent = get({ ...requestTo(url, path), timeout: timeoutMilliseconds, headers }, (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size > maxBodyBytes) sent.destroy();
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: parse(Buffer.concat(chunks).toString()) }),
      );
      response.on('close', () => resolve(undefined));
    });
    sent.on('timeout', () => sent.destroy());
    sent.on('error', () => resolve(undefined));
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isDocument(body: unknown): boolean {
  return isObject(body) && /^3\./.test(String(body.openapi)) && isObject(body.paths);
}

function hasItems({ status, body }: Answer): boolean {
  return status === 200 && isObject(body) && Array.isArray(body.items) && body.items.every(isObject);
}

function isAcceptedProblem({ status, body }: Answer): boolean {
  return status >= 400 && status < 500 && isObject(body) && acceptedProblems.has(String(body.code));
}
