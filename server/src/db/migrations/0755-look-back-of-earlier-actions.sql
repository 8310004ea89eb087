-- Ready actions for trackers that were made before the look-back existed get its address, and the mark by which it knows what they have made. What
-- somebody has changed so that it is no longer recognised stays as it is.
update action_definition set modified = now(), version = version + 1,
  body = regexp_replace(body, '("labels":\s*\[\s*"cloudfit")(\s*\])', '\1, "cloudfit-{MessageId}"\2'),
  look_back_address = regexp_replace(endpoint_url, '/issue$', '') || '/search/jql?jql=labels%20%3D%20%22cloudfit-{MessageId}%22&fields=labels&maxResults=1'
where look_back_address is null and http_method = 'POST' and endpoint_url ~ '^https://[^/?#]+/rest/api/2/issue$' and body ~ '"labels":\s*\[\s*"cloudfit"\s*\]';

update action_definition set modified = now(), version = version + 1,
  body = replace(body, '\n\n{Description}"', '\n\n{Description}\n\n<!-- cloudfit {MessageId} -->"'),
  look_back_address = endpoint_url || '?labels=cloudfit&state=all&sort=created&per_page=30'
where look_back_address is null and http_method = 'POST' and endpoint_url ~ '^https://[^/?#]+/(api/v3/)?repos/[^?#]+/issues$' and body ~ '"labels":\s*\[\s*"cloudfit"\s*\]'
  and position('\n\n{Description}"' in body) > 0;

update action_definition set modified = now(), version = version + 1,
  body = replace(body, '"cloudfit-{TenantId}-{WorkUnitId}"', '"cloudfit-{MessageId}"'),
  look_back_address = endpoint_url || '?sysparm_query=correlation_id=cloudfit-{MessageId}&sysparm_fields=sys_id,correlation_id&sysparm_limit=1'
where look_back_address is null and http_method = 'POST' and endpoint_url ~ '^https://[^/?#]+/api/now/table/incident$' and position('"cloudfit-{TenantId}-{WorkUnitId}"' in body) > 0;
