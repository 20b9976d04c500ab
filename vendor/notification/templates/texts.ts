/**
 * The texts of a mail: which one a store uses for a language, and the parts of a mail rendered from it.
 */
import type { Store } from '@carton/core';
import {
  type ComputeTask,
  compute,
  formatsFor,
  languageOf,
  type MailTemplate,
  type MailTexts,
  object,
  type TenantDatabase,
  type TSchema,
  Type,
  tooCostly,
} from '@carton/runtime';
import { findOwnOrigin } from '@carton/tenant';
import { TextFault } from '../liquid/fault.ts';
import { withLayout } from '../liquid/layout.ts';
import type { LocalizedTexts, MailPart, Rendered, Rendering } from '../liquid/task.ts';
import { withoutControls } from '../transports/sender.ts';
import type { MailText, NotificationPreview } from './schemas.ts';
import { templates } from './store.ts';

/** Variables of every mail. */
const commonVariables = {
  store: object({ name: Type.String(), logoUrl: Type.Union([Type.String(), Type.Null()]) }),
  locale: Type.String(),
};

/** Longest subject, in characters. */
const maxSubjectLength = 500;

/** `pt-BR`, then `pt`. */
function withLanguage(locale: string): string[] {
  const parts = locale.split('-');
  return parts.map((_, index) =>
    parts
      .slice(0, parts.length - index)
      .join('-')
      .toLowerCase(),
  );
}

/**
 * Chooses a text: of the store's the most specific one for the locale, else of the package's in its language; else the
 * same for the store's default locale; else the package's in English.
 */
export function chooseText(
  own: readonly MailText[],
  template: MailTexts & Pick<MailTemplate, 'translations'>,
  { locale, defaultLocale }: { locale: string; defaultLocale: string },
): LocalizedTexts {
  const { subject, text, html, translations = { en: { subject, text, html } } } = template;
  for (const each of [locale, defaultLocale]) {
    for (const candidate of withLanguage(each)) {
      const found = own.find((text) => text.locale.toLowerCase() === candidate);
      if (found) return { ...found, html: found.html ?? undefined };
    }
    const language = languageOf(each);
    const texts = translations[language];
    if (texts) return { ...texts, locale: language };
  }
  return { ...translations.en, locale: 'en' };
}

/** Milliseconds of processor time for rendering a mail, and for checking the texts of all languages. */
const timeLimits = { mail: 1_000, check: 5_000 };

/** What is left of the time is for parts of the work that do not look at the clock. */
const taskOf = (milliseconds: number): ComputeTask<Rendering, Rendered> => ({
  name: 'Rendering the texts',
  module: import.meta.resolve('@carton/notification/render'),
  milliseconds: 2 * milliseconds,
});
const tasks = { mail: taskOf(timeLimits.mail), check: taskOf(timeLimits.check) };

/** A fault in a part of a text. */
export class PartFault extends TextFault {
  /** Of the text in a list. */
  readonly index: number;
  readonly part: MailPart;
  constructor({ index, part, message }: Extract<Rendered, { part: MailPart }>) {
    super(message);
    this.index = index;
    this.part = part;
  }
}

async function renderTexts(
  db: TenantDatabase,
  purpose: keyof typeof tasks,
  store: Store,
  { data, ...rendering }: Pick<Rendering, 'texts' | 'data' | 'variables' | 'isCheck'>,
): Promise<LocalizedTexts[]> {
  const { name, logoUrl, timeZone } = store;
  const rendered = await compute(db, tasks[purpose], {
    ...rendering,
    data: { ...data, store: { name, logoUrl } },
    timeZone,
    milliseconds: timeLimits[purpose],
  });
  if (rendered.kind === 'rendered') return rendered.mails;
  if (rendered.kind === 'fault') throw new PartFault(rendered);
  throw tooCostly(`${rendered.part}, ${rendered.message}.`);
}

export interface RenderOptions {
  store: Store;
  /** Null for the store's default. */
  locale: string | null;
  /** As of the composed mail (`ComposedMail`). */
  localized?: ((locale: string) => object) | undefined;
  /** Used instead of the stored texts, and checked before. */
  draft?: MailTexts;
}

/**
 * Renders a mail with the texts of the store.
 * @throws PartFault, too_costly (422)
 */
export async function renderMail(
  db: TenantDatabase,
  template: MailTemplate,
  data: object,
  { store, locale: requested, localized, draft }: RenderOptions,
): Promise<NotificationPreview> {
  const locale = requested ?? store.defaultLocale;
  const { defaultLocale } = store;
  const own = draft ? null : await templates.findBy(db, { key: template.key });
  // A template has functions, too, which another process cannot have.
  const { locale: language, ...texts } = draft
    ? { ...draft, locale }
    : chooseText(own?.texts ?? [], template, { locale, defaultLocale });
  const { subject, text, html } = texts;
  const formats = formatsFor(language, [locale, defaultLocale]);
  const [rendered] = await renderTexts(
    db,
    'mail',
    { ...store, logoUrl: await absoluteLogoOf(db, store) },
    {
      texts: [{ locale: formats, subject, text, html }],
      data: { ...data, ...localized?.(formats) },
      ...(draft && { variables: variablesOf(template) }),
    },
  );
  const mail = rendered as LocalizedTexts;
  return {
    locale: formats,
    subject: withoutControls(mail.subject).slice(0, maxSubjectLength),
    text: mail.text,
    html: mail.html === undefined ? null : withLayout(mail.html, { language, storeName: store.name }),
  };
}

/** The address of the logo for mails, which have no origin; null for one of the box if the store has no host. */
async function absoluteLogoOf(db: TenantDatabase, { logoUrl }: Store): Promise<string | null> {
  if (!logoUrl?.startsWith('/')) return logoUrl;
  const origin = await findOwnOrigin(db);
  return origin && `${origin}${logoUrl}`;
}

function variablesOf({ data }: MailTemplate): Record<string, TSchema> {
  return JSON.parse(JSON.stringify({ ...data.properties, ...commonVariables }));
}

/**
 * Verifies that texts can be sent: they parse, use known variables only, and render with the sample within the limits.
 * @throws PartFault, too_costly (422)
 */
export async function verifyTexts(
  db: TenantDatabase,
  template: MailTemplate,
  texts: readonly LocalizedTexts[],
  store: Store,
): Promise<void> {
  const variables = variablesOf(template);
  await renderTexts(db, 'check', store, { texts, data: template.sample as object, variables, isCheck: true });
}
