/**
 * The phrases of mails about accounts in all languages.
 */
import type { InLanguages } from '@carton/runtime';
import { germanic } from './germanic.ts';
import { others } from './others.ts';
import type { AccountPhrases } from './phrases.ts';
import { romance } from './romance.ts';

export const accountPhrases: InLanguages<AccountPhrases> = { ...germanic, ...romance, ...others };
