import { eq, or } from '@cloudfit/contract/query/build.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { locations } from '@cloudfit/contract/resources/locations.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { locationTexts as t } from '@cloudfit/contract/messages/locations.en.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { countText } from '../../components/count.ts';
import { MaintainButton } from '../../entities/maintenance/maintain-button.tsx';
import { countingBy, rowCounts, useRowCount } from '../../entities/row-counts.ts';
import { useScope } from '../../rows/use-scope.ts';
import { ImportButton } from '../../entities/list-import/import-button.tsx';
import { ListPage } from '../../resource/list-page.tsx';
import { fieldColumn } from '../../rows/cells.tsx';
import { defineView } from '../../resource/view.ts';

const place = /^\s*(-?\d{1,2}(?:\.\d+)?)\s*[,;\s]\s*(-?\d{1,3}(?:\.\d+)?)\s*$/;

/** The address of a map of these coordinates; undefined when they are no latitude and longitude. */
export function mapAddress(coordinates: string | null | undefined): string | undefined {
  const [, latitude = '', longitude = ''] = place.exec(coordinates ?? '') ?? [];
  if (latitude === '' || Math.abs(Number(latitude)) > 90 || Math.abs(Number(longitude)) > 180) return undefined;
  return `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=15/${latitude}/${longitude}`;
}

function MapLink({ coordinates }: { coordinates: string | null | undefined }) {
  const address = mapAddress(coordinates);
  return address ? (
    <a className="btn small" href={address} target="_blank" rel="noreferrer">
      {t.map}
    </a>
  ) : null;
}

/**
 * A button that puts the devices at the location into maintenance. At a location without a tenant, which every tenant may use,
 * it includes only devices of the chosen tenant.
 */
function Maintain({ row }: { row: Pick<Row<typeof locations>, 'locationId' | 'name' | 'tenantId'> }) {
  const { tenantId } = useScope();
  const of = row.tenantId ?? tenantId;
  return of ? <MaintainButton look="icon" target={{ tenantId: of, locationId: row.locationId }} what={row.name} /> : null;
}

/** Counts the devices of all tenants that the person may see. */
const counting = countingBy(devices, 'locationId');

function DeviceCount({ locationId }: { locationId: string }) {
  const count = useRowCount(counting, locationId);
  return count !== undefined && <span className="num">{countText(count)}</span>;
}

async function deviceCounts() {
  const textOf = await rowCounts(counting);
  return ({ locationId }: { locationId: string }) => textOf(locationId);
}

export const locationsView = defineView({
  resource: locations,
  icon: 'locations',
  texts: { title: en.shell.items.locations, saveFailed: t.saveFailed, emptyText: t.emptyText },
  columns: [
    { ...fieldColumn(locations, 'name'), after: (row) => <Maintain row={row} /> },
    'city',
    'state',
    'tenantId',
    {
      id: 'devices',
      header: t.devices,
      width: 90,
      below: 'sm',
      cell: (row) => <DeviceCount locationId={row.locationId} />,
      texts: deviceCounts,
    },
  ],
  expand: ['tenant'],
  base: ({ tenantId }) => [tenantId ? or(eq(locations, 'tenantId', tenantId), eq(locations, 'tenantId', null)) : undefined],
  filters: ['city', 'state', 'country'],
  panelTop: (row) => <MapLink coordinates={row.coordinates} />,
});

export function LocationsPage() {
  return <ListPage view={locationsView} bar={<ImportButton list="locations" area={locations.area} />} />;
}
