/**
 * The texts of a mail: which one a store uses for a language, and the parts of a mail rendered from it.
 */
import type { Store } from '@carton/core';
import { type MailTemplate, type MailTexts, object, type TenantDatabase, Type } from '@carton/runtime';
import { findOwnOrigin } from '@carton/tenant';
import { TextFault } from './liquid/fault.ts';
import { withLayout } from './liquid/layout.ts';
import type { MailText, NotificationPreview } from './schemas.ts';
import { withoutControls } from './sender.ts';
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
 * Chooses a text: the most specific one for the locale, else for the store's default locale, else the package's own.
 */
export function chooseText(
  own: readonly MailText[],
  template: MailTexts,
  { locale, defaultLocale }: { locale: string; defaultLocale: string },
): MailTexts {
  for (const candidate of [...withLanguage(locale), ...withLanguage(defaultLocale)]) {
    const found = own.find((text) => text.locale.toLowerCase() === candidate);
    if (found) return { ...found, html: found.html ?? undefined };
  }
  return template;
}

export interface RenderOptions {
  store: Store;
  /** Null for the store's default. */
  locale: string | null;
  /** Used instead of the stored texts. */
  draft?: MailTexts;
}

/** Renders a mail with the texts of the store. @throws TextFault */
export async function renderMail(
  db: TenantDatabase,
  template: MailTemplate,
  data: object,
  { store, locale: requested, draft }: RenderOptions,
): Promise<NotificationPreview> {
  const locale = requested ?? store.defaultLocale;
  const { defaultLocale } = store;
  const own = draft ? null : await templates.findBy(db, { key: template.key });
  const texts = draft ?? chooseText(own?.texts ?? [], template, { locale, defaultLocale });
  return renderTexts(texts, data, { ...store, logoUrl: await absoluteLogoOf(db, store) }, locale);
}

/** The address of the logo for mails, which have no origin; null for one of the box if the store has no host. */
async function absoluteLogoOf(db: TenantDatabase, { logoUrl }: Store): Promise<string | null> {
  if (!logoUrl?.startsWith('/')) return logoUrl;
  const origin = await findOwnOrigin(db);
  return origin && `${origin}${logoUrl}`;
}

async function renderTexts(texts: MailTexts, data: object, store: Store, locale: string): Promise<NotificationPreview> {
  const { render } = await import('./liquid/render.ts');
  const { name, logoUrl, timeZone } = store;
  const variables = { ...data, store: { name, logoUrl }, locale };
  const formats = { locale, timeZone };
  const part = (partName: string, text: string, html = false) => {
    try {
      return render(text, variables, { ...formats, html });
    } catch (error) {
      throw new TextFault(`${partName}, ${(error as Error).message}`);
    }
  };
  const html = texts.html === undefined ? null : part('html', texts.html, true);
  return {
    locale,
    subject: withoutControls(part('subject', texts.subject)).slice(0, maxSubjectLength),
    text: part('text', texts.text),
    html: html === null ? null : withLayout(html, { locale, storeName: name }),
  };
}

/**
 * Verifies that a text can be sent: it parses, uses known variables only, and renders with the sample within the limits.
 * @throws TextFault
 */
export async function verifyText(
  template: MailTemplate,
  text: string,
  options: { html: boolean; store: Store; locale: string },
): Promise<void> {
  const { parse, render } = await import('./liquid/render.ts');
  const { requireKnownVariables } = await import('./liquid/variables.ts');
  const { html, store, locale } = options;
  const { name, logoUrl, timeZone } = store;
  requireKnownVariables(parse(text, { html }), { ...template.data.properties, ...commonVariables });
  const sample = { ...template.sample, store: { name, logoUrl }, locale };
  render(text, sample, { html, locale, timeZone });
}
