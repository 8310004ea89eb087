import { tenantTexts as t } from '@cloudfit/contract/messages/tenants.en.ts';
import { Chip } from '../../components/chips.tsx';

export function TenantStatus({ enabled }: { enabled: boolean }) {
  return enabled ? (
    <Chip dot tone="ok">
      {t.enabled}
    </Chip>
  ) : (
    <Chip dot>{t.disabled}</Chip>
  );
}
