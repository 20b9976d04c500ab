/**
 * Texts of mails in all languages of the packages, and phrases that the mails of several packages have.
 */
import { type InLanguages, inLanguages, type Language } from '../intl/languages.ts';
import type { MailTexts } from './template.ts';

/** The texts of a mail in English, and in the other languages. */
export interface TranslatedTexts extends MailTexts {
  readonly translations: InLanguages<MailTexts>;
}

/**
 * The texts of a mail, made of phrases in each language.
 * @example ...mailTexts(phrases, ({ thanks }, { greeting }) => ({ subject: thanks, text: `${greeting}\n\n${thanks}` }))
 */
export function mailTexts<Phrases>(
  phrases: InLanguages<Phrases>,
  make: (phrases: Phrases, language: Language) => MailTexts,
): TranslatedTexts {
  const translations = inLanguages((language) => isolated(make(phrases[language], language)));
  return { ...translations.en, translations };
}

/** A Liquid tag, an element's tag with its attributes, or an output. */
const partOfHtml = /\{%[\s\S]*?%\}|<[^>]*>|\{\{[\s\S]*?\}\}/g;

/**
 * The texts with each value of the HTML in an element of its own, as on pages: a name or a title in a script of the other
 * direction would otherwise move the words around it.
 */
function isolated<Texts extends MailTexts>(texts: Texts): Texts {
  const html = texts.html?.replace(partOfHtml, (part) => (part.startsWith('{{') ? `<bdi>${part}</bdi>` : part));
  return { ...texts, ...(html !== undefined && { html }) };
}

/** `Hello Ada,` @param variable the name in the data of the mail, which may be null */
export function greetingTo(variable: string): InLanguages<string> {
  const name = (before: string, after = '') => `{% if ${variable} %}${before}{{ ${variable} }}${after}{% endif %}`;
  return {
    en: `Hello${name(' ')},`,
    de: `Guten Tag${name(' ')},`,
    fr: `Bonjour${name(' ')},`,
    es: `Hola${name(' ')}:`,
    it: `Buongiorno${name(' ')},`,
    nl: `Hallo${name(' ')},`,
    pl: `Dzień dobry${name(' ')},`,
    ja: `こんにちは${name('、', ' 様')}。`,
    ar: `مرحبًا${name(' ')}،`,
  };
}

/** `Valid until 1 March 2026, 12:00`, without an end. @param variable a time in the data of the mail */
export function validUntil(variable: string): InLanguages<string> {
  const [date, time] = [`{{ ${variable} | date }}`, `{{ ${variable} | time }}`];
  return {
    en: `Valid until ${date}, ${time}`,
    de: `Gültig bis ${date}, ${time}`,
    fr: `Valable jusqu’au ${date}, ${time}`,
    es: `Válido hasta el ${date}, ${time}`,
    it: `Valido fino al ${date}, ${time}`,
    nl: `Geldig tot ${date}, ${time}`,
    pl: `Ważne do ${date}, ${time}`,
    ja: `有効期限：${date} ${time}`,
    ar: `صالح حتى ${date}، ${time}`,
  };
}

/** In front of a code that the reader enters where there is no link. */
export const tokenLabel: InLanguages<string> = {
  en: 'Token: ',
  de: 'Code: ',
  fr: 'Code : ',
  es: 'Código: ',
  it: 'Codice: ',
  nl: 'Code: ',
  pl: 'Kod: ',
  ja: 'コード：',
  ar: 'الرمز: ',
};

/** What ends a sentence. */
export const fullStop = inLanguages((language) => (language === 'ja' ? '。' : '.'));
