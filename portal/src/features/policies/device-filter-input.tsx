/** The filter of a selection: built from the filters of the list of devices, or written as text, with its devices now. */
import { useState } from 'react';
import { previewSelection } from '@cloudfit/contract/calls.ts';
import { selectionTexts as t } from '@cloudfit/contract/messages/policies.en.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import type { deviceSelections } from '@cloudfit/contract/resources/device-selections.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { useCall } from '../../api/call.ts';
import { failureText } from '../../api/client.ts';
import { hasOpenMatch, isReporting, isSilent } from '../../entities/attention.ts';
import { FilterBar } from '../../filters/filter-bar.tsx';
import { listFilter } from '../../filters/list-query.ts';
import { initialState, type ListState } from '../../filters/list-state.ts';
import type { Listing } from '../../filters/listing.ts';
import type { InputProps } from '../../forms/form-types.ts';
import { useDebounced } from '../../hooks/use-debounced.ts';
import { useScope } from '../../rows/use-scope.ts';
import { countText } from '../../components/count.ts';
import './policies.css';

const listing: Listing = {
  resource: devices,
  filters: ['tags', 'name', 'operatingSystemId', 'deviceTypeId', 'locationId', 'subscriptionId', 'agentVersion', 'hostFacts', 'enabled'],
  quick: [
    { id: 'reporting', label: t.reporting, clause: () => isReporting },
    { id: 'silent', label: t.silent, clause: () => isSilent },
    { id: 'matching', label: t.matching, clause: () => hasOpenMatch },
  ],
};

const waitMs = 400;

function Members({ filter, tenantId, tenantGroupId }: { filter: string; tenantId: string | null; tenantGroupId: string | null }) {
  const settled = useDebounced(filter.trim(), waitMs);
  const { data, error } = useCall(
    previewSelection,
    { filter: settled, tenantId, tenantGroupId },
    { refreshedBy: devices.name, enabled: settled !== '', meta: { live: false } },
  );
  if (settled === '') return null;
  if (error) return <p className="error">{failureText(error)}</p>;
  if (!data) return <p className="faint">{t.counting}</p>;
  const more = data.count - data.devices.length;
  return (
    <div className="selection-preview">
      <strong>{data.count === 0 ? t.previewNone : t.preview(countText(data.count))}</strong>
      <ul>
        {data.devices.map((device) => (
          <li key={device.deviceId} className="chip plain" title={device.tenantName}>
            {device.name}
          </li>
        ))}
        {more > 0 && <li className="faint">{t.more(countText(more))}</li>}
      </ul>
    </div>
  );
}

export function DeviceFilterInput({ value, onChange, onBlur, disabled, aria, values }: InputProps<typeof deviceSelections>) {
  const scope = useScope();
  const [state, setState] = useState<ListState>(() => initialState(listing));
  const { tenantId = null, tenantGroupId = null } = values as Partial<Row<typeof deviceSelections>>;
  const text = typeof value === 'string' ? value : '';
  const build = (change: Partial<ListState>) => {
    const next = { ...state, ...change };
    setState(next);
    onChange(listFilter(listing, next, scope) ?? '');
  };
  return (
    <div className="selection-filter">
      {!disabled && <FilterBar listing={listing} state={state} onChange={build} />}
      <textarea
        className="input area mono"
        rows={2}
        spellCheck={false}
        placeholder={t.filterExample}
        {...aria}
        value={text}
        readOnly={disabled}
        onBlur={onBlur}
        onChange={(event) => {
          setState(initialState(listing));
          onChange(event.target.value);
        }}
      />
      <div aria-live="polite">
        <Members filter={text} tenantId={tenantId} tenantGroupId={tenantId === null ? tenantGroupId : null} />
      </div>
    </div>
  );
}
