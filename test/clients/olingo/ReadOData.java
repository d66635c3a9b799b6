import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.olingo.client.api.ODataClient;
import org.apache.olingo.client.api.communication.request.batch.ODataBatchRequest;
import org.apache.olingo.client.api.communication.request.batch.BatchManager;
import org.apache.olingo.client.api.communication.request.retrieve.ODataEntitySetRequest;
import org.apache.olingo.client.api.communication.response.ODataBatchResponse;
import org.apache.olingo.client.api.domain.ClientEntity;
import org.apache.olingo.client.api.domain.ClientEntitySet;
import org.apache.olingo.client.api.domain.ClientProperty;
import org.apache.olingo.client.core.ODataClientFactory;
import org.apache.olingo.client.core.http.BasicAuthHttpClientFactory;
import org.apache.olingo.commons.api.edm.Edm;
import org.apache.olingo.commons.api.edm.FullQualifiedName;

/** Reads an OData service with Apache Olingo and prints what it saw as JSON. Arguments: the address of the service, the key. */
public class ReadOData {
  private static final List<String> NAMES =
      List.of("Country_x0020_name", "Day", "GDP_x0020__x0028_USD_x0029_", "Big");

  private final ODataClient client = ODataClientFactory.getClient();
  private final String address;

  private ReadOData(String address, String key) {
    this.address = address;
    client.getConfiguration().setHttpClientFactory(new BasicAuthHttpClientFactory(key, ""));
  }

  private static List<String> shown(ClientEntity entity) {
    List<String> values = new ArrayList<>();
    for (String name : NAMES) {
      ClientProperty property = entity.getProperty(name);
      values.add(property == null || property.hasNullValue() ? null : property.getValue().toString());
    }
    return values;
  }

  private ClientEntitySet page(URI uri) {
    ODataEntitySetRequest<ClientEntitySet> request = client.getRetrieveRequestFactory().getEntitySetRequest(uri);
    return request.execute().getBody();
  }

  /** All rows: the client itself does not follow the links between pages. */
  private List<ClientEntity> read(URI first) {
    List<ClientEntity> entities = new ArrayList<>();
    for (URI uri = first; uri != null; ) {
      ClientEntitySet page = page(uri);
      entities.addAll(page.getEntities());
      uri = page.getNext();
    }
    return entities;
  }

  private List<List<String>> filtered(String filter) {
    URI uri = client.newURIBuilder(address).appendEntitySetSegment("Rows").filter(filter).build();
    return read(uri).stream().map(ReadOData::shown).toList();
  }

  /** Status of each part of a batch. */
  private List<Integer> batch() {
    ODataBatchRequest request = client.getBatchRequestFactory().getBatchRequest(address);
    BatchManager manager = request.payloadManager();
    URI uri = client.newURIBuilder(address).appendEntitySetSegment("Rows").top(1).build();
    manager.addRequest(client.getRetrieveRequestFactory().getEntitySetRequest(uri));
    ODataBatchResponse response = manager.getResponse();
    List<Integer> statuses = new ArrayList<>();
    response.getBody().forEachRemaining(item -> item.forEachRemaining(part -> statuses.add(part.getStatusCode())));
    return statuses;
  }

  public static void main(String[] arguments) throws Exception {
    ReadOData reader = new ReadOData(arguments[0], arguments[1]);
    Edm edm = reader.client.getRetrieveRequestFactory().getMetadataRequest(reader.address).execute().getBody();
    List<ClientEntity> rows =
        reader.read(reader.client.newURIBuilder(reader.address).appendEntitySetSegment("Rows").build());
    Set<String> keys = new HashSet<>();
    rows.forEach(row -> keys.add(row.getProperty("_row").getValue().toString()));
    Map<String, Object> seen = new LinkedHashMap<>();
    seen.put("properties", edm.getEntityType(new FullQualifiedName("Tabulary", "Row")).getPropertyNames());
    seen.put("rows", rows.size());
    seen.put("different", keys.size());
    seen.put("first", rows.subList(0, 4).stream().map(ReadOData::shown).toList());
    seen.put("filtered", reader.filtered("Country_x0020_name eq 'Côte d''Ivoire'"));
    seen.put("exact", reader.filtered("Big eq '123456789012345678901234567890.25'"));
    seen.put("batch", reader.batch());
    System.out.println(new ObjectMapper().writeValueAsString(seen));
  }
}
