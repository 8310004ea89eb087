import { compareNames } from '@cloudfit/contract/natural-order.ts';
import { useMemo } from 'react';
import { intakeTexts as t } from '@cloudfit/contract/messages/intake.en.ts';
import { sortByFavorites } from '../../api/intake-settings.ts';
import { byUse, favoriteTenants, recentTenants, toggleFavorite } from '../../api/known-tenants.ts';
import { useTenants } from '../../api/lookups.ts';
import { IconButton } from '../../components/button.tsx';
import { ComboBox } from '../../components/combo-box.tsx';
import type { InputProps } from '../../forms/form-types.ts';
import type { IntakeDeclaration } from './intake-declaration.ts';

/**
 * Chooses the tenant of the caller; a star marks favorites. A change clears the protocol, because protocols belong to a tenant.
 */
export function TenantInput({ value, onChange, onBlur, disabled, aria, values, setValue }: InputProps<IntakeDeclaration>) {
  const { data: tenants, isLoading } = useTenants();
  const favorites = favoriteTenants.use();
  const recent = recentTenants.use();
  const sorted = sortByFavorites.use();
  const choices = useMemo(() => {
    const byName = (tenants ?? []).toSorted((a, b) => compareNames(a.name, b.name));
    const ordered = sorted ? byUse(byName, favorites, recent) : byName;
    return ordered.map(({ tenantId, name }) => {
      const hint = favorites.includes(tenantId) ? t.favorite : recent.some((tenant) => tenant.tenantId === tenantId) ? t.recent : undefined;
      return { value: tenantId, label: name, ...(sorted && hint ? { hint } : {}) };
    });
  }, [tenants, favorites, recent, sorted]);
  const chosen = choices.find((choice) => choice.value === value) ?? null;
  return (
    <span className="tenant-input">
      <ComboBox
        choices={choices}
        value={chosen}
        loading={isLoading}
        disabled={disabled}
        clearable
        aria={aria}
        onBlur={onBlur}
        onChange={(choice) => {
          onChange(choice?.value ?? null);
          if (values.protocolId) setValue('protocolId', null);
        }}
      />
      {chosen && (
        <IconButton
          icon="star"
          label={t.markFavorite(chosen.label)}
          className="favorite"
          aria-pressed={favorites.includes(chosen.value)}
          onClick={() => toggleFavorite(chosen.value)}
        />
      )}
    </span>
  );
}
