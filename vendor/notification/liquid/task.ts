/**
 * Rendering of the texts of mails, which a store writes. It runs in a compute process.
 */
import type { MailTexts, TSchema } from '@carton/runtime';
import { TextFault, TextTooCostly } from './fault.ts';
import { parse, processorTime, render } from './render.ts';
import { requireKnownVariables } from './variables.ts';

export const mailParts = ['subject', 'text', 'html'] as const;
export type MailPart = (typeof mailParts)[number];

/** The parts of a mail, and their language (BCP 47). */
export type LocalizedTexts = MailTexts & { locale: string };

export interface Rendering {
  texts: readonly LocalizedTexts[];
  /** The variables of all texts, besides `locale`. */
  data: object;
  timeZone: string;
  /** Of processor time, for all texts. */
  milliseconds: number;
  /** The schemas of the variables that texts may use, to be checked; without them, only those that are reached matter. */
  variables?: Record<string, TSchema>;
  /** Whether only faults matter: nothing is returned of what was rendered. */
  isCheck?: boolean;
}

export type Rendered =
  | { kind: 'rendered'; mails: LocalizedTexts[] }
  | { kind: 'fault' | 'tooCostly'; index: number; part: MailPart; message: string };

/** Renders texts, until one has a fault. */
export default function renderTexts({ texts, data, timeZone, milliseconds, variables, isCheck }: Rendering): Rendered {
  const deadline = processorTime() + milliseconds;
  const mails: LocalizedTexts[] = [];
  for (const [index, text] of texts.entries()) {
    const { locale } = text;
    const mail: LocalizedTexts = { locale, subject: '', text: '' };
    for (const part of mailParts) {
      const source = text[part];
      if (source === undefined) continue;
      const html = part === 'html';
      try {
        const templates = parse(source, { html });
        if (variables) requireKnownVariables(templates, variables);
        Object.assign(mail, { [part]: render(templates, { ...data, locale }, { html, locale, timeZone, deadline }) });
      } catch (error) {
        const { message } = error as Error;
        if (error instanceof TextFault) return { kind: 'fault', index, part, message };
        if (error instanceof TextTooCostly) return { kind: 'tooCostly', index, part, message };
        throw error;
      }
    }
    if (!isCheck) mails.push(mail);
  }
  return { kind: 'rendered', mails };
}
