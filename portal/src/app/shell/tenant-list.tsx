import { useId, useState } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { byUse, favoriteTenants, recentTenants, toggleFavorite } from '../../api/known-tenants.ts';
import { useTenants, type TenantChoice } from '../../api/lookups.ts';
import { IconButton } from '../../components/button.tsx';

interface TenantListProps {
  value: string;
  onChange: (tenantId: string) => void;
  error: string | undefined;
}

interface RowProps {
  tenant: TenantChoice;
  group: string;
  checked: boolean;
  isFavorite: boolean;
  isRecent: boolean;
  onChange: (tenantId: string) => void;
}

const t = en.shell;
/** The list shows at most this many tenants; the search finds the others. */
const maxTenants = 100;

function TenantRow({ tenant, group, checked, isFavorite, isRecent, onChange }: RowProps) {
  return (
    <div className="tenant-row">
      <label>
        <input type="radio" name={group} value={tenant.tenantId} checked={checked} onChange={() => onChange(tenant.tenantId)} />
        <span className="ellipsis grow">{tenant.name}</span>
        {isRecent && <small>{t.recent}</small>}
      </label>
      <IconButton
        icon="star"
        small
        className={isFavorite ? 'favorite' : ''}
        label={t.favorite(tenant.name)}
        aria-pressed={isFavorite}
        onClick={() => toggleFavorite(tenant.tenantId)}
      />
    </div>
  );
}

/** The list of tenants to choose from; each may be marked as a favorite. */
export function TenantList({ value, onChange, error }: TenantListProps) {
  const id = useId();
  const [text, setText] = useState('');
  const { data: tenants = [] } = useTenants();
  const favorites = favoriteTenants.use();
  const recent = recentTenants.use();
  // The order is fixed while the list is open: a new favorite must not move its row away from the pointer.
  const [ranks] = useState({ favorites, recent });
  const typed = text.trim().toLowerCase();
  const matches = byUse(tenants, ranks.favorites, ranks.recent).filter((tenant) => tenant.name.toLowerCase().includes(typed));
  return (
    <div className="field">
      <div className="field-head">
        <span id={`${id}-label`} className="label">
          {t.tenant}
          <span className="must" aria-hidden>
            *
          </span>
        </span>
      </div>
      {/* Enter chooses the first match; without its handler it would submit the form with the previous choice. */}
      <input
        className="input"
        type="search"
        aria-label={t.findTenant}
        placeholder={t.findTenant}
        autoComplete="off"
        autoFocus
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          if (matches[0]) onChange(matches[0].tenantId);
        }}
      />
      <div
        className="tenant-list"
        role="radiogroup"
        aria-labelledby={`${id}-label`}
        aria-required
        {...(error ? { 'aria-invalid': true, 'aria-describedby': `${id}-note` } : {})}
      >
        {matches.slice(0, maxTenants).map((tenant) => (
          <TenantRow
            key={tenant.tenantId}
            tenant={tenant}
            group={id}
            checked={tenant.tenantId === value}
            isFavorite={favorites.includes(tenant.tenantId)}
            isRecent={recent.some((candidate) => candidate.tenantId === tenant.tenantId)}
            onChange={onChange}
          />
        ))}
        {matches.length === 0 && <p className="faint">{en.common.noMatches}</p>}
        {matches.length > maxTenants && <p className="faint">{t.moreTenants(matches.length - maxTenants)}</p>}
      </div>
      {error && (
        <div id={`${id}-note`} className="error">
          {error}
        </div>
      )}
    </div>
  );
}
