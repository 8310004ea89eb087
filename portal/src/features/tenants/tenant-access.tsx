/** The grants that apply in a tenant: of people and groups, for this tenant or for all tenants. */
import { Link } from 'react-router';
import { tenantTexts as t } from '@cloudfit/contract/messages/tenants.en.ts';
import { failureText } from '../../api/client.ts';
import { oneOf } from '@cloudfit/contract/query/build.ts';
import { grants } from '@cloudfit/contract/resources/grants.ts';
import { Chip } from '../../components/chips.tsx';
import { countText } from '../../components/count.ts';
import { ErrorState, Skeleton } from '../../components/states.tsx';
import { useList } from '../../rows/use-rows.ts';
import type { Tenant } from './toggle-tenant.ts';
import { useMayIn } from './use-may-in.ts';

/** The maximum number of grants shown here; the list of all grants shows the rest. */
const shownGrants = 20;

function Grants({ tenant: { tenantId, enabled } }: { tenant: Tenant }) {
  // Descending, so that grants for all tenants, which have no tenant, come last.
  const { data, error, refetch } = useList(grants, {
    expand: ['person', 'permissionSet'],
    filter: oneOf(grants, 'tenantId', [tenantId, null]),
    orderBy: ['tenantId desc', 'created desc'],
    top: shownGrants,
    count: true,
  });
  if (error) return <ErrorState small title={t.accessFailed} text={failureText(error)} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton width="60%" />;
  const count = data.count ?? data.rows.length;
  if (count === 0) return <p className="muted">{t.noAccess}</p>;
  return (
    <>
      <ul className="tenant-access">
        {data.rows.map((grant) => (
          <li key={grant.grantId}>
            <span className="who">
              {grant.claim === null ? (
                <Link to={`/${tenantId}/people?id=${grant.personId}&tab=access`}>{grant.person?.name ?? grant.personId}</Link>
              ) : (
                <>
                  <Link to={`/${tenantId}/access?id=${grant.grantId}`}>{grant.claim}</Link> <Chip>{t.group}</Chip>
                </>
              )}{' '}
              {(grant.person?.enabled === false || (grant.tenantId !== null && !enabled)) && <Chip tone="warn">{t.disabled}</Chip>}
            </span>
            <span>{grant.permissionSet?.name ?? grant.permissionSetId}</span>
            <span className="muted">{grant.tenantId === null ? t.allTenants : t.thisTenant}</span>
          </li>
        ))}
      </ul>
      {count > data.rows.length && <Link to={`/${tenantId}/access?f.tenantId=${tenantId},null`}>{t.allAccess(countText(count))}</Link>}
    </>
  );
}

/** The grants of a tenant, shown only to people who may view them. */
export function TenantAccess({ tenant }: { tenant: Tenant }) {
  const may = useMayIn(tenant.tenantId);
  if (!may('People', 'view')) return null;
  return (
    <section className="form-section" aria-label={t.access}>
      <h3>{t.access}</h3>
      <Grants tenant={tenant} />
      {may('People', 'create') && (
        <p>
          <Link className="btn small" to={`/${tenant.tenantId}/access?id=new`}>
            {t.giveAccess}
          </Link>
        </p>
      )}
    </section>
  );
}
