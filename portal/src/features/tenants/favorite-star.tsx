import { tenantTexts as t } from '@cloudfit/contract/messages/tenants.en.ts';
import { favoriteTenants, toggleFavorite } from '../../api/known-tenants.ts';
import { IconButton } from '../../components/button.tsx';

/** Marks a tenant as a favorite, in this browser only (TEN-007). */
export function FavoriteStar({ tenant: { tenantId: id, name } }: { tenant: { tenantId: string; name: string } }) {
  const isFavorite = favoriteTenants.use().includes(id);
  return (
    <IconButton
      icon="star"
      small
      className={isFavorite ? 'favorite-star on' : 'favorite-star'}
      label={t.favorite(name)}
      aria-pressed={isFavorite}
      onClick={() => toggleFavorite(id)}
    />
  );
}
