/** The impacted services: a button for each name that the tenant's status pages show, and a field for any other text. */
import { getStatusServices } from '@cloudfit/contract/calls.ts';
import { communicationsEn as t } from '@cloudfit/contract/messages/communications.en.ts';
import { statusPages } from '@cloudfit/contract/resources/status-pages.ts';
import type { workUnitCommunications } from '@cloudfit/contract/resources/work-unit-communications.ts';
import { useCall } from '../../api/call.ts';
import { inputs } from '../../forms/inputs.tsx';
import type { InputProps } from '../../forms/form-types.ts';

const linesOf = (text: unknown) => (typeof text === 'string' ? text.split(/[\n,;]+/) : []).map((line) => line.trim()).filter(Boolean);
const isSame = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

export function ServicesInput(props: InputProps<typeof workUnitCommunications>) {
  const { value, values, onChange, disabled } = props;
  const tenantId = values.tenantId ?? props.row?.tenantId;
  const { data: services = [] } = useCall(
    getStatusServices,
    { id: String(tenantId) },
    {
      refreshedBy: statusPages.name,
      enabled: typeof tenantId === 'string' && !disabled,
      staleTime: 60_000,
    },
  );
  const named = linesOf(value);
  const toggle = (service: string) => {
    const others = named.filter((line) => !isSame(line, service));
    const next = others.length < named.length ? others : [...named, service];
    onChange(next.length === 0 ? null : next.join('\n'));
  };
  return (
    <>
      <inputs.multiline {...props} />
      {services.length > 0 && (
        <div className="communication-services" role="group" aria-label={t.services}>
          {services.map((service) => (
            <button
              key={service}
              type="button"
              className="chip"
              aria-pressed={named.some((line) => isSame(line, service))}
              onClick={() => toggle(service)}
            >
              {service}
            </button>
          ))}
        </div>
      )}
    </>
  );
}
