// An app of the vendor's customer: nothing in it knows that there is a twin.
const API = 'https://api.parcel.example/v1';
const headers = { authorization: 'Bearer pk_live_x', 'content-type': 'application/json' };

const sent = await fetch(`${API}/parcels`, {
  method: 'POST',
  headers,
  body: JSON.stringify({ to: 'Ada, Oslo', grams: 1200 }),
});
const parcel = await sent.json();
const page = await fetch(`https://track.parcel.example/${parcel.id}`);
console.log(sent.status, parcel.status, (await page.text()).includes('Ada, Oslo'));
