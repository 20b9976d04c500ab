/**
 * Rules of templates: reading and changing the texts of a store, previews, and tests by mail.
 */
import { permits } from '@carton/auth';
import { findStore } from '@carton/core';
import {
  invalidField,
  type MailTemplate,
  mailTemplates,
  newId,
  notFound,
  type Problem,
  type StaffCaller,
  type TenantDatabase,
} from '@carton/runtime';
import { mailNotAccepted, mailNotConfigured, noOwnAddress, templateReserved } from '../problems.ts';
import { boundTransport } from '../transports/bound.ts';
import { domainOf, senderOf } from '../transports/sender.ts';
import type {
  ChangeNotificationTemplate,
  MailText,
  NotificationPreview,
  NotificationTemplate,
  PreviewNotification,
} from './schemas.ts';
import { lockTemplate, type TemplateRow, templates } from './store.ts';
import { PartFault, renderMail, verifyTexts } from './texts.ts';

/** @throws not_found (404) */
function requireTemplate(db: TenantDatabase, key: string): MailTemplate {
  const template = mailTemplates.of(db).find((each) => each.key === key);
  if (!template) throw notFound(`No mail has the key ${key}.`);
  return template;
}

function present(template: MailTemplate, row: TemplateRow | null): NotificationTemplate & { locales: string[] } {
  const { key, summary, audience, event, subject, text, html = null, data, sample } = template;
  const texts = row?.texts ?? [];
  return {
    key,
    summary,
    audience,
    event: event?.type ?? null,
    enabled: row?.enabled ?? true,
    texts,
    locales: texts.map(({ locale }) => locale),
    default: { subject, text, html },
    variables: JSON.parse(JSON.stringify(data)),
    sample: sample as Record<string, unknown>,
  };
}

function nameOf(permission: string): string {
  return permission === '*' ? 'all permissions' : `the permission ${permission}`;
}

/** All templates of the box, by key. */
export async function listTemplates(db: TenantDatabase) {
  const rows = await templates.findAllBy(db, {}, 1000);
  return mailTemplates
    .of(db)
    .map((template) => present(template, rows.find(({ key }) => key === template.key) ?? null))
    .sort((one, other) => (one.key < other.key ? -1 : 1));
}

/** @throws not_found (404) */
export async function readTemplate(db: TenantDatabase, key: string): Promise<NotificationTemplate> {
  return present(requireTemplate(db, key), await templates.findBy(db, { key }));
}

/**
 * Changes the texts of a store.
 * @throws not_found (404), invalid_request (400) for a text with a fault, template_reserved (403), too_costly (422)
 */
export async function changeTemplate(
  db: TenantDatabase,
  staff: StaffCaller,
  key: string,
  { enabled, texts }: ChangeNotificationTemplate,
): Promise<NotificationTemplate> {
  const template = requireTemplate(db, key);
  // The author of such a text can make it pass on the secret, and with it the recipient's account.
  if (template.opens !== undefined && !permits(staff.permissions, template.opens)) {
    throw templateReserved(`Only callers with ${nameOf(template.opens)} change this mail.`);
  }
  if (texts?.length) await checkTexts(db, template, texts);
  return db.transaction(async (tx) => {
    const row = await lockTemplate(tx, key);
    const changed = row
      ? await templates.change(tx, row.id, { enabled, texts })
      : await templates.insert(tx, { key, enabled: enabled ?? true, texts: texts ?? [] });
    return present(template, changed);
  });
}

/** @throws invalid_request (400), too_costly (422) */
async function checkTexts(db: TenantDatabase, template: MailTemplate, texts: readonly MailText[]): Promise<void> {
  for (const [at, { locale }] of texts.entries()) {
    if (texts.findIndex((each) => each.locale.toLowerCase() === locale.toLowerCase()) < at) {
      throw invalidField(`/texts/${at}/locale`, 'is the locale of an earlier text');
    }
  }
  const parts = texts.map((text) => ({ ...text, html: text.html ?? undefined }));
  await refuseFaults(
    ({ index, part }) => `/texts/${index}/${part}`,
    async () => verifyTexts(db, template, parts, await findStore(db)),
  );
}

async function refuseFaults<T>(pointerOf: (fault: PartFault) => string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof PartFault ? invalidField(pointerOf(error), `is not a valid text: ${error.message}`) : error;
  }
}

/**
 * Renders a template with its sample.
 * @throws not_found (404), invalid_request (400) for a draft with a fault, too_costly (422)
 */
export async function previewTemplate(
  db: TenantDatabase,
  key: string,
  { locale: requested, draft }: PreviewNotification,
): Promise<NotificationPreview> {
  const template = requireTemplate(db, key);
  const store = await findStore(db);
  const locale = requested ?? null;
  if (!draft) return renderMail(db, template, template.sample, { store, locale });
  const parts = { ...draft, html: draft.html ?? undefined };
  return refuseFaults(
    ({ part }) => `/draft/${part}`,
    () => renderMail(db, template, template.sample, { store, locale, draft: parts }),
  );
}

/** Milliseconds; the server's response is part of the request. */
const testTimeout = 15_000;

/**
 * Sends a template with its sample to the caller's own address. Nothing is recorded.
 * @throws not_found (404), too_costly (422), no_own_address (409) for a caller who is not a member of staff, mail_not_configured (503),
 *   mail_not_accepted (502) with the response of the mail server
 */
export async function testTemplate(
  db: TenantDatabase,
  { type, label }: StaffCaller,
  key: string,
  locale: string | undefined,
): Promise<{ recipient: string; messageId: string }> {
  const template = requireTemplate(db, key);
  if (type !== 'staff') throw noOwnAddress('Log in as a member of staff.');
  const transport = boundTransport(db);
  if (!transport) throw mailNotConfigured();
  const store = await findStore(db);
  const rendered = await renderMail(db, template, template.sample, { store, locale: locale ?? null });
  const sender = await senderOf(db, store);
  const messageId = `<${newId()}@${domainOf(sender.from.address)}>`;
  const { subject, text, html } = rendered;
  try {
    await transport.send(
      db,
      { messageId, ...sender, to: label, subject: `[Test] ${subject}`, text, html },
      AbortSignal.timeout(testTimeout),
    );
  } catch (error) {
    throw mailNotAccepted((error as Error).message) satisfies Problem;
  }
  return { recipient: label, messageId };
}
