/**
 * Checks the query plans of lists: every list of a box, called with its filters and sorts for a large tenant, must read
 * only what a page needs. It counts rows and pages and measures no time.
 */
import { accessKindsOf, type RouteDeclaration } from '../../http/route.ts';
import type { TestBox, TestTenant } from '../box.ts';
import type { Answer, Caller } from '../client.ts';
import { Pool } from '../contract/pool.ts';
import { draw, requestsFor, seedFor } from '../contract/requests.ts';
import { callsOf, isList, type Query } from './calls.ts';
import { multiplyRows } from './multiply-rows.ts';
import { type Reading, readingsOf, StatementRecorder } from './statements.ts';

export { type Filter, filtersWithValues, type Query } from './calls.ts';
export { type Reading, readingsOf, type SentStatement, StatementRecorder } from './statements.ts';

export interface PlanOptions {
  /** The tenant whose rows are copied; it has at least one item for every list. */
  tenant: TestTenant;
  /** Number of copies of each row. */
  copies: number;
  /** A member of the tenant, who calls the lists for members. */
  member?: Caller;
  /** Adds further rows to the tenant after copying. */
  fill?: () => Promise<void>;
  /** Further queries with which to call lists, by their operation ids. */
  queries?: Readonly<Record<string, readonly Query[]>>;
  /** The limits of a list, by its operation id. Default: the usual ones. */
  limitsOf?: (operationId: string) => PlanLimits;
  /** Changes the tenant once its lists were called; those with these operation ids are then called again. */
  again?: { operationIds: readonly string[]; change: () => Promise<void> };
  /** Receives progress messages. */
  say?: (text: string) => void;
}

/** The most expensive statement of a call. */
export interface Finding extends Reading {
  operationId: string;
  query: Query;
  /** The path with the query. */
  path: string;
  /** Pages that all statements of the call read. */
  pagesOfCall: number;
  /** True if it reads more than a page needs. */
  fails: boolean;
}

export interface PlanResult {
  findings: Finding[];
  /** Lists that could not be tested, with the reasons. */
  untested: string[];
}

/** The default number of items on a page. */
const pageSize = 20;
const maxPageSize = 100;
/** What a page may read, including everything that belongs to its items. */
export interface PlanLimits {
  /** Rows and pages of a statement. */
  rows: number;
  pages: number;
  /** Pages of all statements of a call, which may scan a list in several parts. */
  pagesOfCall: number;
}

export const usualLimits: PlanLimits = { rows: 1000, pages: 1500, pagesOfCall: 15_000 };
/** Pages of maximum size to skip before a late page is measured. */
const pagesSkipped = 12;

/**
 * Makes a tenant large and calls its lists.
 * @example const { findings } = await checkPlans(box, { tenant: box, copies: 2000 });
 */
export async function checkPlans(
  box: TestBox,
  { tenant, member, copies, fill, queries = {}, limitsOf = () => usualLimits, again, say = () => {} }: PlanOptions,
): Promise<PlanResult> {
  const declarations = box.box.routes.map(({ declaration }) => declaration);
  const lists = declarations.filter(isList);
  const recorder = new StatementRecorder(box.box.database);
  const result: PlanResult = { findings: [], untested: [] };
  const trial = { box, tenant, member, lists, queries, limitsOf, recorder, result };
  for (const list of lists) await fillList(trial, list);
  say(`copying each row ${copies} times`);
  await multiplyRows(box.databaseUrl, tenant.id, copies);
  await fill?.();
  say(`calling ${lists.length} lists`);
  for (const list of lists) await tryList(trial, list);
  const unknown = Object.keys(queries).filter((id) => !lists.some(({ operationId }) => operationId === id));
  result.untested.push(...unknown.map((id) => `${id}: the box has no such list`));
  await again?.change();
  for (const list of lists) if (again?.operationIds.includes(list.operationId)) await tryList(trial, list);
  return result;
}

interface Trial {
  box: TestBox;
  tenant: TestTenant;
  member: Caller | undefined;
  lists: readonly RouteDeclaration[];
  queries: Readonly<Record<string, readonly Query[]>>;
  limitsOf: (operationId: string) => PlanLimits;
  recorder: StatementRecorder;
  result: PlanResult;
}

type Get = (query: Query) => Promise<{ answer: Answer; path: string }>;

function callerFor({ box, tenant, member }: Trial, declaration: RouteDeclaration): Caller {
  const kinds = accessKindsOf(declaration);
  if (kinds.includes('staff')) return tenant.staff;
  if (kinds.includes('member') && member) return member;
  return kinds.includes('operator') ? box.operator : tenant.visitor();
}

/** Creates two complete items in a list that is still empty, if a route with its path creates one. */
async function fillList(trial: Trial, list: RouteDeclaration): Promise<void> {
  const routes = trial.box.box.routes.map(({ declaration }) => declaration);
  const create = routes.find(({ method, path, upload }) => method === 'post' && path === list.path && !upload);
  if (!create || list.path.includes(':')) return;
  const caller = callerFor(trial, list);
  if (itemsOf((await caller.get(list.path)).body).length > 0) return;
  const complete = requestsFor(create, { pool: new Pool([], []), preferExamples: true, complete: true });
  for (const { body } of draw(complete, seedFor(0, create.operationId), 2)) await caller.post(create.path, body);
}

async function tryList(trial: Trial, list: RouteDeclaration): Promise<void> {
  const { queries, result } = trial;
  const paths = await pathsOf(trial, list);
  for (const path of paths) {
    const get: Get = async (query) => {
      const parameters = new URLSearchParams();
      for (const [name, value] of Object.entries(query)) parameters.set(name, String(value));
      const complete = `${path}?${parameters}`;
      return { answer: await callerFor(trial, list).get(complete), path: complete };
    };
    const { answer } = await get({ limit: maxPageSize });
    const items = itemsOf(answer.body);
    if (answer.status !== 200 || items.length === 0) continue;
    const further = queries[list.operationId] ?? [];
    for (const query of [...callsOf(list, items), ...further]) await tryCall(trial, list, get, query);
    return;
  }
  result.untested.push(
    `${list.operationId}: ${paths.length === 0 ? 'no list has the ids for its path' : 'it is empty: add items to the tenant of this check'}`,
  );
}

/** The paths of a list; the id in a path is that of an item of the parent list, which need not have pages. */
async function pathsOf(trial: Trial, { path }: RouteDeclaration): Promise<string[]> {
  const [before, parameter, after] = path.split(/\/:(\w+)/);
  if (parameter === undefined) return [path];
  const declarations = trial.box.box.routes.map(({ declaration }) => declaration);
  const parent = declarations.find((each) => each.method === 'get' && each.path === before);
  if (!parent) return [];
  const { body } = await callerFor(trial, parent).get(`${before}${isList(parent) ? `?limit=${maxPageSize}` : ''}`);
  return itemsOf(body).map((item) => `${before}/${item[parameter]}${after}`);
}

/** The items of a page, which may be nested, as the products of a collection are. */
function itemsOf(body: unknown): Record<string, unknown>[] {
  const page = [body, ...Object.values(Object(body))].find((value) => Array.isArray(Object(value).items));
  return (page as { items: Record<string, unknown>[] } | undefined)?.items ?? [];
}

/** Measures a first page and a late one. */
async function tryCall(
  { box, tenant, limitsOf, recorder, result }: Trial,
  { operationId }: RouteDeclaration,
  get: Get,
  query: Query,
): Promise<void> {
  const limits = limitsOf(operationId);
  const measure = async (measured: Query) => {
    let path = '';
    const sent = await recorder.record(async () => {
      ({ path } = await get(measured));
    });
    const readings = await readingsOf(box.box.database, tenant.id, sent);
    const tooMuch = ({ rows, pages }: Reading) => rows > limits.rows || pages > limits.pages;
    const [worst] = readings.sort((a, b) => Number(tooMuch(b)) - Number(tooMuch(a)) || b.rows - a.rows);
    if (!worst) return;
    const pagesOfCall = readings.reduce((sum, { pages }) => sum + pages, 0);
    const fails = tooMuch(worst) || pagesOfCall > limits.pagesOfCall;
    result.findings.push({ ...worst, operationId, query, path, pagesOfCall, fails });
  };
  await measure({ ...query, limit: pageSize });
  let cursor: string | undefined;
  const isPlain = Object.keys(query).length === 0;
  for (let page = 0; page < (isPlain ? pagesSkipped : 1); page++) {
    const { answer } = await get({ ...query, limit: maxPageSize, ...(cursor && { cursor }) });
    const next = /"nextCursor":"([^"]+)"/.exec(JSON.stringify(answer.body))?.[1];
    if (!next) break;
    cursor = next;
  }
  if (cursor) await measure({ ...query, limit: pageSize, cursor });
}

/** The findings as a table: one line for each list and one for each call that fails. */
export function tableOf({ findings, untested }: PlanResult): string[] {
  const operations = [...new Set(findings.map(({ operationId }) => operationId))];
  const lines = operations.flatMap((operationId) => {
    const own = findings.filter((finding) => finding.operationId === operationId);
    const maximum = (name: 'rows' | 'pages' | 'pagesOfCall') =>
      String(Math.max(...own.map((finding) => finding[name]))).padStart(8);
    const line = `${operationId.padEnd(24)}${String(own.length).padStart(5)} calls${maximum('rows')} rows${maximum('pages')} pages,${maximum('pagesOfCall')} in a call`;
    const failing = own.filter(({ fails }) => fails);
    return [line, ...failing.map(lineOf)];
  });
  return [...lines, ...untested.map((line) => `not tested: ${line}`)];
}

/** One line about a call that reads too much. */
export function lineOf({ rows, pages, pagesOfCall, path, scan }: Finding): string {
  return `${path}: ${rows} rows and ${pages} pages read (${scan}), ${pagesOfCall} pages in the call`;
}
