import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { operationTexts } from '@cloudfit/contract/messages/device-operations.en.ts';
import { and, compare, contains, eq } from '@cloudfit/contract/query/build.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { ComboBox } from '../../components/combo-box.tsx';
import { Field } from '../../components/field.tsx';
import { fetchPage } from '../../rows/use-rows.ts';

const t = operationTexts.clonePanel;
const maxTargets = 25;

export interface CloneTarget {
  deviceId: string;
  name: string;
}

interface TargetInputProps {
  /** The source device of the copy, which is not offered as a target (OPR-054). */
  device: { deviceId: string; tenantId: string };
  value: CloneTarget | null;
  onChange: (value: CloneTarget | null) => void;
  error: string | undefined;
}

/** Another device of the tenant, searched by name. */
export function TargetInput({ device, value, onChange, error }: TargetInputProps) {
  const [search, setSearch] = useState('');
  const [opened, setOpened] = useState(false);
  const { data, isLoading } = useQuery({
    queryKey: [devices.name, 'targets', device.deviceId, search],
    queryFn: ({ signal }) =>
      fetchPage(
        devices,
        {
          filter: and(
            eq(devices, 'tenantId', device.tenantId),
            compare(devices, 'deviceId', 'ne', device.deviceId),
            search ? contains(devices, 'name', search) : undefined,
          ),
          select: ['deviceId', 'name'],
          orderBy: 'name asc',
          top: maxTargets,
        },
        signal,
      ),
    enabled: opened,
    staleTime: 60_000,
    placeholderData: (before) => before,
  });
  const choices = (data?.rows ?? []).map(({ deviceId, name }) => ({ value: deviceId, label: name }));
  return (
    <Field label={t.target} required help={t.targetHelp} error={error}>
      {(aria) => (
        <ComboBox
          choices={choices}
          value={value && { value: value.deviceId, label: value.name }}
          loading={isLoading}
          aria={aria}
          onOpen={() => setOpened(true)}
          onType={setSearch}
          onChange={(choice) => onChange(choice && { deviceId: String(choice.value), name: choice.label })}
        />
      )}
    </Field>
  );
}
