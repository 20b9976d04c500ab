-- Statements that @carton/api-key composes of parts, as the samples of testing/statements.ts send them.
-- Written by `npm run documentation`.

-- recordUse
-- $2 string
update api_keys
set
  last_used_at = now()
where
  tenant_id = $1
  and id = $2
  and (
    last_used_at is null
    or last_used_at <= now() - interval '15 minutes'
  );
