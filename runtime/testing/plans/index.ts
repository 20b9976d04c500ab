/**
 * The plans of lists: every list of a box, called with each of its filters and sorts over a large tenant, reads what a
 * page needs and not what the tenant has. Nothing is timed: rows and pages are counted.
 */
import { accessKindsOf, type RouteDeclaration } from '../../http/route.ts';
import type { TestBox, TestTenant } from '../box.ts';
import type { Answer, Caller } from '../client.ts';
import { Pool } from '../contract/pool.ts';
import { askOf, draw, seedFor } from '../contract/requests.ts';
import { callsOf, isList, type Query } from './calls.ts';
import { multiplyRows } from './fill.ts';
import { type Reading, readingsOf, StatementRecorder } from './statements.ts';

export interface PlanOptions {
  /** Whose rows are copied: it has at least one of everything that a list answers. */
  tenant: TestTenant;
  /** How often each of its rows is copied. */
  copies: number;
  /** Is told how far it has come. */
  say?: (text: string) => void;
}

/** The worst statement of a call. */
export interface Finding extends Reading {
  operationId: string;
  /** What it was called with, and the whole path. */
  query: Query;
  path: string;
  /** It reads more than a page needs, however large the tenant is. */
  fails: boolean;
}

export interface PlanResult {
  findings: Finding[];
  /** Lists that could not be tried, each with the reason. */
  untried: string[];
}

/** Items a page, as it is unless told. */
const pageSize = 20;
const largestPage = 100;
/** What a page may read, with all that belongs to each of its items. */
const mostRows = 1000;
const mostPages = 1500;
/** Largest pages that are turned before one is looked at. */
const pagesTurned = 12;

/**
 * Makes a tenant large and calls its lists.
 * @example const { findings } = await holdPlans(box, { shop: box, copies: 2000 });
 */
export async function holdPlans(box: TestBox, { tenant, copies, say = () => {} }: PlanOptions): Promise<PlanResult> {
  const declarations = box.box.routes.map(({ declaration }) => declaration);
  const lists = declarations.filter(isList);
  const recorder = new StatementRecorder(box.box.database);
  const result: PlanResult = { findings: [], untried: [] };
  const trial = { box, tenant, lists, recorder, result };
  for (const list of lists) await fillList(trial, list);
  say(`copying each row ${copies} times`);
  await multiplyRows(box.databaseUrl, tenant.id, copies);
  say(`calling ${lists.length} lists`);
  for (const list of lists) await tryList(trial, list);
  return result;
}

interface Trial {
  box: TestBox;
  tenant: TestTenant;
  lists: readonly RouteDeclaration[];
  recorder: StatementRecorder;
  result: PlanResult;
}

type Get = (query: Query) => Promise<{ answer: Answer; path: string }>;

function callerFor({ box, tenant }: Trial, declaration: RouteDeclaration): Caller {
  const kinds = accessKindsOf(declaration);
  if (kinds.includes('staff')) return tenant.staff;
  return kinds.includes('operator') ? box.operator : tenant.visitor();
}

/** A list that is empty still is given two items, where a route of its path creates one: whole, as its document has them. */
async function fillList(trial: Trial, list: RouteDeclaration): Promise<void> {
  const routes = trial.box.box.routes.map(({ declaration }) => declaration);
  const create = routes.find(({ method, path, upload }) => method === 'post' && path === list.path && !upload);
  if (!create || list.path.includes(':')) return;
  const caller = callerFor(trial, list);
  if (itemsOf((await caller.get(list.path)).body).length > 0) return;
  const whole = askOf(create, { pool: new Pool([], []), usual: true, whole: true });
  for (const { body } of draw(whole, seedFor(0, create.operationId), 2)) await caller.post(create.path, body);
}

async function tryList(trial: Trial, list: RouteDeclaration): Promise<void> {
  const { result } = trial;
  const paths = await pathsOf(trial, list);
  for (const path of paths) {
    const get: Get = async (query) => {
      const given = new URLSearchParams();
      for (const [name, value] of Object.entries(query)) given.set(name, String(value));
      const whole = `${path}?${given}`;
      return { answer: await callerFor(trial, list).get(whole), path: whole };
    };
    const { answer } = await get({ limit: largestPage });
    const items = itemsOf(answer.body);
    if (answer.status !== 200 || items.length === 0) continue;
    for (const query of callsOf(list, items)) await tryCall(trial, list, get, query);
    return;
  }
  result.untried.push(
    `${list.operationId}: ${paths.length === 0 ? 'its path names what no list has' : 'it is empty: have the shop of this check filled with some'}`,
  );
}

/** Ways to call a list: what its path names are items of the list before it. */
async function pathsOf(trial: Trial, { path }: RouteDeclaration): Promise<string[]> {
  const [before, parameter, after] = path.split(/\/:(\w+)/);
  if (parameter === undefined) return [path];
  const parent = trial.lists.find((list) => list.path === before);
  if (!parent) return [];
  const { body } = await callerFor(trial, parent).get(`${before}?limit=${largestPage}`);
  return itemsOf(body).map((item) => `${before}/${item[parameter]}${after}`);
}

/** The items of a page, which may stand in what they are of: the products of a collection. */
function itemsOf(body: unknown): Record<string, unknown>[] {
  const page = [body, ...Object.values(Object(body))].find((value) => Array.isArray(Object(value).items));
  return (page as { items: Record<string, unknown>[] } | undefined)?.items ?? [];
}

/** A first page, and one far behind it. */
async function tryCall(
  { box, tenant, recorder, result }: Trial,
  { operationId }: RouteDeclaration,
  get: Get,
  query: Query,
): Promise<void> {
  const measure = async (asked: Query) => {
    let path = '';
    const sent = await recorder.during(async () => {
      ({ path } = await get(asked));
    });
    const readings = await readingsOf(box.box.database, tenant.id, sent);
    const tooMuch = ({ rows, pages }: Reading) => rows > mostRows || pages > mostPages;
    const [worst] = readings.sort((a, b) => Number(tooMuch(b)) - Number(tooMuch(a)) || b.rows - a.rows);
    if (worst) result.findings.push({ ...worst, operationId, query, path, fails: tooMuch(worst) });
  };
  await measure({ ...query, limit: pageSize });
  let cursor: string | undefined;
  const isPlain = Object.keys(query).length === 0;
  for (let turned = 0; turned < (isPlain ? pagesTurned : 1); turned++) {
    const { answer } = await get({ ...query, limit: largestPage, ...(cursor && { cursor }) });
    const next = /"nextCursor":"([^"]+)"/.exec(JSON.stringify(answer.body))?.[1];
    if (!next) break;
    cursor = next;
  }
  if (cursor) await measure({ ...query, limit: pageSize, cursor });
}

/** What was found as a table: one line a list, and one for each call that fails. */
export function tableOf({ findings, untried }: PlanResult): string[] {
  const operations = [...new Set(findings.map(({ operationId }) => operationId))];
  const lines = operations.flatMap((operationId) => {
    const own = findings.filter((finding) => finding.operationId === operationId);
    const most = (name: 'rows' | 'pages') => String(Math.max(...own.map((finding) => finding[name]))).padStart(8);
    const line = `${operationId.padEnd(24)}${String(own.length).padStart(5)} calls${most('rows')} rows${most('pages')} pages`;
    const failing = own.filter(({ fails }) => fails);
    return [line, ...failing.map(lineOf)];
  });
  return [...lines, ...untried.map((line) => `not tried: ${line}`)];
}

/** A call that reads too much, in one line. */
export function lineOf({ rows, pages, path, scan }: Finding): string {
  return `${path}: ${rows} rows and ${pages} pages are read (${scan})`;
}
