-- Headers of actions, one `Name:Value` per line: the value of a header that carries a credential is replaced by ***,
-- unless a placeholder stands in it. The names are those of `credentialHeader` in contract/src/action-headers.ts.
create function mask_credentials(headers text) returns text language sql immutable parallel safe as $$
  select regexp_replace(headers,
    '^([ \t]*(?:authorization|cookie|[^:\n]*(?:token|secret|password|credential|(?:api|access|account|auth|functions|integration|private|routing|shared|subscription)[-_]?key))[ \t]*:)(?![^\n]*\{)[ \t]*[^ \t\r\n][^\n]*$',
    '\1***', 'gin')
$$;
-- The same for a stored row.
create function mask_credentials(stored jsonb) returns jsonb language sql immutable parallel safe as $$
  select case when jsonb_typeof(stored -> 'headers') = 'string' then jsonb_set(stored, '{headers}', to_jsonb(mask_credentials(stored ->> 'headers'))) else stored end
$$;
