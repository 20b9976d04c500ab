// Up to when the job has checked what was changed, also by boxes of earlier releases, for words that are missing.
export const up = (knex) => knex.raw('alter table product_word_progress add column checked_to timestamptz(3)');

export const down = (knex) => knex.raw('alter table product_word_progress drop column checked_to');
