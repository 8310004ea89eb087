/** Shown where access is denied: who the person is, what is missing, and whom to ask. */
import { explainOwnAccess } from '@cloudfit/contract/calls.ts';
import { whyTexts as t } from '@cloudfit/contract/messages/access.en.ts';
import { useCall } from '../../api/call.ts';
import { RequestFailed } from '../../api/client.ts';
import { permissionsKey, useCurrentUser } from '../../api/lookups.ts';

interface WhyDeniedProps {
  /** The permission that the screen requires; undefined for a person without any access. */
  missing?: string | undefined;
  tenantId?: string | null | undefined;
}

export function WhyDenied({ missing, tenantId }: WhyDeniedProps) {
  const { data: user, error } = useCurrentUser();
  const { data } = useCall(
    explainOwnAccess,
    { permission: missing ?? '', tenantId: tenantId ?? undefined },
    {
      refreshedBy: permissionsKey,
      enabled: missing !== undefined,
      retry: false,
    },
  );
  // Whose tenants are disabled, or who is, gets no answer but that.
  if (error instanceof RequestFailed && error.status === 403) return <p className="muted">{error.message}</p>;
  if (!user) return null;
  return (
    <p className="muted">
      {t.signedInAs(user.name, user.userName)} {missing === undefined ? t.noGrants : t.youMiss(missing)}{' '}
      {data &&
        data.askedPeople.length > 0 &&
        t.askThem(data.askedPeople.map(({ name, userName }) => (name === userName ? name : `${name} (${userName})`)).join(', '))}
    </p>
  );
}
