/** Export and import of the configuration, features, and the settings of the installation. */
import { useQuery } from '@tanstack/react-query';
import { exportConfiguration, installationSettings } from '@cloudfit/contract/calls.ts';
import { configurationTexts as t } from '@cloudfit/contract/messages/configuration.en.ts';
import { features } from '@cloudfit/contract/resources/features.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { callFile, useCall } from '../../api/call.ts';
import { useMay, useTenants } from '../../api/lookups.ts';
import { changeRow } from '../../api/row-calls.ts';
import { command } from '../../calls/command.ts';
import { Button } from '../../components/button.tsx';
import { Chip } from '../../components/chips.tsx';
import { usePageTitle } from '../../components/page-title.ts';
import { saveFile } from '../../components/save-file.ts';
import { onDemand } from '../../components/on-demand.tsx';
import { Checkbox } from '../../components/fields/checkbox.tsx';
import { pageQuery } from '../../rows/use-rows.ts';
import { useScope } from '../../rows/use-scope.ts';
import { ColumnHeads } from '../../components/table/column-heads.tsx';
import './configuration.css';

/** Loaded on demand: to name changes by their labels, it needs the declarations of all resources. */
const { Component: ImportConfiguration } = onDemand(() =>
  import('./import-configuration.tsx').then((module) => module.ImportConfiguration),
);

const { Component: ImportTables } = onDemand(() => import('./import-tables.tsx').then((module) => module.ImportTables));

function Export({ tenantId }: { tenantId: string }) {
  const { data: tenants = [] } = useTenants();
  const name = tenants.find((tenant) => tenant.tenantId === tenantId)?.name ?? tenantId;
  const start = command(
    async () => {
      const text = await (await callFile(exportConfiguration, { tenantId }, { quiet: true })).text();
      const file = t.fileName(name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'));
      saveFile(file, JSON.stringify(JSON.parse(text), null, 2), 'application/json');
    },
    { failed: t.exportFailed },
  );
  return (
    <section className="form-section" aria-label={t.export}>
      <h2>{t.export}</h2>
      <p className="faint">{t.exportText}</p>
      <Button icon="download" onClick={() => void start(undefined)}>
        {t.exportTenant}
      </Button>
    </section>
  );
}

const toggle = command(
  ({ featureId, enabled }: Row<typeof features>) => changeRow(features, featureId, { enabled: !enabled }, { quiet: true }),
  {
    done: (_, { enabled, description }) => (enabled ? t.featureOff(description) : t.featureOn(description)),
    failed: t.featureFailed,
    refreshes: [features.name],
  },
);

function Features({ mayEdit }: { mayEdit: boolean }) {
  const { data } = useQuery(pageQuery(features, { orderBy: 'name asc', top: 100 }));
  if (!data || data.rows.length === 0) return null;
  return (
    <section className="form-section" aria-label={t.features}>
      <h2>{t.features}</h2>
      {data.rows.map((feature) => (
        <Checkbox
          key={feature.featureId}
          label={feature.description}
          role="switch"
          className="switch"
          checked={feature.enabled}
          disabled={!mayEdit}
          onChange={() => void toggle(feature)}
        />
      ))}
    </section>
  );
}

function Settings() {
  // The server returns 403 to people who may not edit the settings of all tenants, and the section is not shown.
  const { data } = useCall(installationSettings, {}, { retry: false });
  if (!data || data.value.length === 0) return null;
  return (
    <section className="form-section" aria-label={t.settings}>
      <h2>{t.settings}</h2>
      <p className="faint">{t.settingsText}</p>
      <table className="settings-table">
        <ColumnHeads names={[t.name, t.value, t.source]} />
        <tbody>
          {data.value.map(({ name, about, value, source }) => (
            <tr key={name}>
              <th scope="row">
                <span className="mono">{name}</span>
                <small>{about}</small>
              </th>
              <td>{value ?? <span className="faint">{t.notSet}</span>}</td>
              <td>{source === 'environment' ? <Chip tone="info">{t.sources.environment}</Chip> : t.sources.default}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

export function ConfigurationPage() {
  usePageTitle(t.title);
  const mayEdit = useMay()('Settings', 'edit');
  const { tenantId } = useScope();
  return (
    <div className="page configuration" tabIndex={-1}>
      {tenantId && <Export tenantId={tenantId} />}
      {tenantId && mayEdit && <ImportConfiguration key={tenantId} tenantId={tenantId} />}
      {tenantId && mayEdit && <ImportTables key={`tables ${tenantId}`} tenantId={tenantId} />}
      <Features mayEdit={mayEdit} />
      {mayEdit && <Settings />}
    </div>
  );
}
