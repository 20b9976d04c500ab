/**
 * Rules of pages. A published page is visible from its time of publication on, by the clock of the database. The event
 * `page.published` is written when it becomes visible: by the change that publishes it, or by a job.
 */
import { handleOfTitle, namedHandle } from '@carton/core';
import {
  freeHandle,
  job,
  lockFor,
  moveAddress,
  notFound,
  publishRow,
  sanitizeRichText,
  type TenantDatabase,
} from '@carton/runtime';
import { pagePublished } from '../events.ts';
import { pageLimit } from '../problems.ts';
import { type AdminPage, type ChangePage, type CreatePage, maxContent, maximumPages } from './schemas.ts';
import { countPages, findVisiblePage, isVisible, lockDuePages, markPublication, pages } from './store.ts';

const contentLimits = { pointer: '/content', maxLength: maxContent };

/** @throws page_handle_taken, page_limit, external_id_taken (409), too_costly (422) */
export async function createPage(
  db: TenantDatabase,
  { handle, content: written = '', ...fields }: CreatePage,
): Promise<AdminPage> {
  const content = await sanitizeRichText(db, written, contentLimits);
  return db.transaction(async (tx) => {
    await lockFor(tx, 'pages.count');
    if ((await countPages(tx)) >= maximumPages) throw pageLimit(`A store has at most ${maximumPages} pages.`);
    const { id } = await pages.insert(tx, {
      ...fields,
      content,
      handle: handle ?? (await freeHandle(tx, 'pages', await handleOfTitle(tx, fields.title, 'page'))),
    });
    return announce(tx, id);
  });
}

/** @throws not_found (404), page_handle_taken, external_id_taken (409), too_costly (422) */
export async function changePage(
  db: TenantDatabase,
  id: string,
  { content: written, ...fields }: ChangePage,
): Promise<AdminPage> {
  const content = written === undefined ? undefined : await sanitizeRichText(db, written, contentLimits);
  return db.transaction(async (tx) => {
    const row = await pages.lock(tx, id);
    const wasVisible = fields.handle !== undefined && (await isVisible(tx, row.id));
    const { handle } = await pages.change(tx, row.id, { ...fields, content });
    // To an address at which nothing is seen no redirect leads, and it may be that of another page's redirect.
    if (wasVisible && (await isVisible(tx, row.id))) {
      await moveAddress(tx, { from: `/pages/${row.handle}`, to: `/pages/${handle}` });
    }
    return announce(tx, row.id);
  });
}

/** Writes the event of a page that became visible. Returns the page. */
async function announce(tx: TenantDatabase, id: string): Promise<AdminPage> {
  const published = await markPublication(tx, id);
  if (!published) return pages.require(tx, id);
  await publishRow(tx, pagePublished, 'page', published);
  return published;
}

/** @throws not_found (404) */
export async function readVisiblePage(db: TenantDatabase, name: string): Promise<AdminPage> {
  const page = await findVisiblePage(db, await namedHandle(db, name));
  if (!page) throw notFound(`No page has the handle or id ${name}.`);
  return page;
}

const batchSize = 100;

/** Each page and its event are one transaction with the mark that it was announced, so each is announced once. */
export async function announcePages(db: TenantDatabase): Promise<void> {
  let count: number;
  do {
    count = await db.transaction(async (tx) => {
      const due = await lockDuePages(tx, batchSize);
      for (const id of due) await announce(tx, id);
      return due.length;
    });
  } while (count === batchSize);
}

export const announceDuePages = job({ name: 'website.announce-pages', everySeconds: 30, run: announcePages });
