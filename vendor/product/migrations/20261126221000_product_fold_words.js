// Up to when the job has checked what was changed for words and tags as they are compared now. Earlier releases go on with
// checked_to, so that one of them, during a rolling upgrade, does not count as a check.
export const up = (knex) => knex.raw('alter table product_word_progress add column folded_to timestamptz(3)');

export const down = (knex) => knex.raw('alter table product_word_progress drop column folded_to');
