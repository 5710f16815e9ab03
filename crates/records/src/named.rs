//! A configuration outside of a search: values by name, in the space's order.

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{MapAccess, Visitor},
    ser::SerializeMap,
};
use space::{ConfigurationId, Space, Value};

/// Parameter values by name, in the space's order; an object in JSON.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Named(pub Vec<(String, Value)>);

impl Named {
    /// A configuration of a space.
    #[must_use]
    pub fn of(space: &Space, id: ConfigurationId) -> Self {
        let owned = |(name, value): (&str, &Value)| (name.to_owned(), value.clone());
        Self(space.named(id).into_iter().map(owned).collect())
    }

    /// The number of the configuration in a space, if the space contains it.
    #[must_use]
    pub fn id_in(&self, space: &Space) -> Option<ConfigurationId> {
        space.id_of_named(self.0.iter().map(|(name, value)| (name.as_str(), value)))
    }

    /// The value of a parameter.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(n, _)| n == name).map(|(_, v)| v)
    }

    /// The configuration as `a=1,b=2`, which identifies it within a space.
    #[must_use]
    pub fn key(&self) -> String {
        self.to_string()
    }
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (name, value)) in self.0.iter().enumerate() {
            write!(f, "{}{name}={value}", if at == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

impl Serialize for Named {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Named {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs;
        impl<'de> Visitor<'de> for Pairs {
            type Value = Named;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of parameter values")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Named, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Named(pairs))
            }
        }
        deserializer.deserialize_map(Pairs)
    }
}
